# How many jobs start a second matters to a cluster, not to this machine. Snakemake's limit looks at all waiting jobs once a
# second for every job that was ever started: after some hundred jobs that is a third of a core.
onstart:
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
