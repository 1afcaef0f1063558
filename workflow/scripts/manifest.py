"""Write the manifest of a study: inputs, code, packages and cost of its results, and their files."""

import json
from pathlib import Path

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.datasets.catalogue import read_catalogue
    from mlreduce.files import replacing, write_text
    from mlreduce_studies.gathering.summary import write_csv
    from mlreduce_studies.provenance.digest import environment
    from mlreduce_studies.provenance.finished import number_taken
    from mlreduce_studies.provenance.manifest import costs, describe_input, digests, make_manifest, read_jobs, span

    params, folder = snakemake.params, Path(snakemake.output.manifest).parent
    jobs = read_jobs(params.benchmarks, params.threads)
    jobs_of_run = jobs[~jobs["rule"].isin(["fetch", "prepare", "factorise"])]  # which other runs share
    with replacing(snakemake.output.jobs) as path:
        write_csv(jobs, path)

    catalogue = read_catalogue(snakemake.config.get("datasets"))
    raw = {Path(path).name: path for path in snakemake.input.raw}
    inputs = {
        Path(path).stem: describe_input(catalogue[Path(path).stem], path, raw.get(Path(path).stem))
        for path in snakemake.input.data
    }
    taken = number_taken(params.benchmarks)
    timed = [path for path in snakemake.input.results if Path(path).name in params.timed]
    manifest = make_manifest(
        {"study": snakemake.wildcards.study, **params.study},
        inputs,
        digests(path for path in snakemake.input.results if path not in timed),
        {
            **environment(Path(snakemake.scriptdir).resolve().parents[1]),
            **span(jobs_of_run),
            "cost": costs(jobs),
            **({"taken": taken} if taken else {}),
            "outputs": digests([*timed, snakemake.output.jobs]),
        },
    )
    write_text(snakemake.output.manifest, json.dumps(manifest, indent=2) + "\n")
