# Sources -> matchups -> payoffs -> hold-outs -> fits -> scores -> figures, tables, comparison, report.
from snakemake.utils import min_version

min_version("9.10")


configfile: "config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/job.smk"
include: "workflow/rules/sources.smk"
include: "workflow/rules/matchups.smk"
include: "workflow/rules/payoffs.smk"
include: "workflow/rules/models.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


onerror:
    show_errors(log)


onsuccess:
    name_report()


# retrieve: often only the login node of a cluster has a network.
localrules:
    all,
    tables,
    figures,
    comparison,
    report,
    retrieve,


rule all:
    default_target: True
    input:
        rules.check_comparison.output,
        rules.html_report.output,


rule tables:
    input:
        TABLES,


rule figures:
    input:
        figure_files(),


rule comparison:
    input:
        rules.check_comparison.output,


rule report:
    input:
        rules.html_report.output,


place_logs()
check_targets()
