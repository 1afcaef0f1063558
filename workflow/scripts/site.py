"""Write the results of the run as a site, and as one page where the configuration requests it."""

import json
from pathlib import Path

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.files import write_text
    from mlreduce_studies.site.runs import read_run
    from mlreduce_studies.site.writing import write_page, write_site

    content, (described, *pages) = snakemake.params.content, snakemake.output
    run = read_run(Path(described).parent, content)
    write_site(run, Path(pages[0]).parent)
    for page in pages:
        if page.endswith("report.html"):
            write_page(run, page)
    write_text(described, json.dumps(content, indent=1) + "\n")
