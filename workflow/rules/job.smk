# What every rule is that others are made of: one call of a script. The names of its inputs and outputs are the script's
# options; what has no name is only waited for.
rule job:
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=5,
    params:
        files=file_options,
        options="",
    shell:
        "python {input.script[0]} {params.files} {params.options} > {log:q} 2>&1"
