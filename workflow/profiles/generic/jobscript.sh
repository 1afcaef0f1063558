#!/bin/sh
# properties = {properties}
# Leaves its exit code where status.sh looks for it, by the number that SGE, PBS or LSF gave the job.
left=.snakemake/cluster/$JOB_ID$PBS_JOBID$LSB_JOBID
trap 'code=$?; mkdir -p .snakemake/cluster; echo $code > "$left.part"; mv "$left.part" "$left"' EXIT
{exec_job}
