"""Write the results of the run as a site."""

import json
from pathlib import Path

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.files import write_text
    from mlreduce_studies.runs import read_run
    from mlreduce_studies.site.writing import write_site

    content, (described, page) = snakemake.params.content, snakemake.output
    run = read_run(Path(described).parent, content)
    write_site(run, Path(page).parent)
    write_text(described, json.dumps(content, indent=1) + "\n")
