rule hold_out:
    input:
        script="scripts/hold_out.py",
        payoff=rules.payoff.output.payoff,
        masks=f"{PAPER}/published_masks.csv",
    output:
        f"{RESULTS}/hold_outs/{{protocol}}/{{dataset}}.npz",
    log:
        f"{RESULTS}/logs/hold_out/{{protocol}}/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/hold_out/{{protocol}}/{{dataset}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=5,
    params:
        arguments=hold_out_arguments,
        seed=SEED,
    message:
        "hold-outs of {wildcards.dataset}, protocol {wildcards.protocol}"
    shell:
        "python {input.script} --dataset {wildcards.dataset} --payoff {input.payoff:q} {params.arguments} "
        "--masks {input.masks:q} --seed {params.seed} --output {output:q} > {log:q} 2>&1"


rule fit:
    input:
        CORE,
        script="scripts/fit.py",
        payoff=rules.payoff.output.payoff,
        hold_out=rules.hold_out.output,
        model=model_file,
    output:
        scores=f"{RESULTS}/fits/{{protocol}}/{{dataset}}/{{model}}.scores.csv",
        fits=f"{RESULTS}/fits/{{protocol}}/{{dataset}}/{{model}}.fits.csv",
    log:
        f"{RESULTS}/logs/fit/{{protocol}}/{{dataset}}/{{model}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/fit/{{protocol}}/{{dataset}}/{{model}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        # Minutes at most, but for the repeated hold-outs of large games (docs/examples/full_size.yaml).
        runtime=480,
    params:
        instances=model_instances,
        solver=protocol_solver,
        validation=protocol_validation,
        seed=SEED,
    message:
        "{wildcards.model} on {wildcards.dataset}, protocol {wildcards.protocol}"
    shell:
        "python {input.script} --protocol {wildcards.protocol} --dataset {wildcards.dataset} "
        "--payoff {input.payoff:q} --hold-out {input.hold_out:q} --model-file {input.model:q} "
        "--instances {params.instances:q} --solver {params.solver} --validation {params.validation} "
        "--seed {params.seed} "
        "--scores {output.scores:q} --fits {output.fits:q} > {log:q} 2>&1"
