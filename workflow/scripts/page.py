"""The report of all studies: one HTML file."""

from pathlib import Path

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.datasets.files import replacing
    from mlreduce.reporting.page import render, study_section

    base = Path(snakemake.output[0]).parent
    sections = [study_section(base / name, spec) for name, spec in snakemake.params.studies.items()]
    introduction = {
        "demo": "Every study at a small size, on data that come with the dependencies: a check that all stations "
        "work, not a result. The papers' own data sets: snakemake --cores all --configfile config/paper.yaml",
        "paper": "Every table and figure computed from the published data, beside the numbers that the papers print.",
    }[snakemake.params.scale]
    with replacing(snakemake.output[0]) as path:
        path.write_text(render("mlreduce", introduction, sections), encoding="utf-8")
