use rule job as fit with:
    # All protocols in one job: their fits share the start of the script, and the payoff.
    input:
        script=fit_code,
        payoff=rules.payoff.output.payoff,
        model=model_file,
        masks=f"{PAPER}/published_masks.csv",
    output:
        scores=f"{RESULTS}/fits/{{dataset}}/{{model}}.scores.csv",
        fits=f"{RESULTS}/fits/{{dataset}}/{{model}}.fits.csv",
    resources:
        mem_mb=memory(2000),
        # Minutes at most, but for the repeated hold-outs of large games (docs/examples/full_size.yaml).
        runtime=480,
    params:
        options=options(dataset="{dataset}", instances=model_instances, protocols=fit_protocols, seed=SEED),
    message:
        "{wildcards.model} on {wildcards.dataset}"
