"""What the results of a study were made of, with and at what cost, and which files they are."""

import json
from pathlib import Path

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.catalogue import read_catalogue
    from mlreduce.datasets.files import replacing
    from mlreduce.provenance.digest import environment
    from mlreduce.provenance.manifest import costs, describe_input, digests, make_manifest, read_jobs, span
    from mlreduce.reporting.summary import write_csv

    params, folder = snakemake.params, Path(snakemake.output.manifest).parent
    names = params.names

    # Benchmarks of what a study no longer asks for may lie there too.
    def is_asked_for(path):
        return path.stem in {*names["datasets"], *names["predictors"], *names["outputs"]}

    single = [*folder.glob("benchmarks/*.tsv"), *filter(is_asked_for, folder.glob("benchmarks/*/*.tsv"))]
    kinds = names["datasets"], names["predictors"], params.threads
    own = read_jobs([*params.jobs, *single], *kinds)
    jobs = read_jobs([*params.jobs, *single, *filter(lambda path: Path(path).is_file(), params.shared)], *kinds)
    with replacing(snakemake.output.jobs) as path:
        write_csv(jobs, path)

    catalogue = read_catalogue(snakemake.config.get("datasets"))
    raw = {Path(path).name: path for path in snakemake.input.raw}
    inputs = {
        Path(path).stem: describe_input(catalogue[Path(path).stem], path, raw.get(Path(path).stem))
        for path in snakemake.input.data
    }
    timed = [path for path in snakemake.input.results if Path(path).name in params.timed]
    manifest = make_manifest(
        {"study": snakemake.wildcards.study, **params.study},
        inputs,
        digests(path for path in snakemake.input.results if path not in timed),
        {
            **environment(Path(snakemake.scriptdir).resolve().parents[1]),
            **span(own),
            "cost": costs(jobs),
            "outputs": digests([*timed, snakemake.output.jobs]),
        },
    )
    with replacing(snakemake.output.manifest) as path:
        path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
