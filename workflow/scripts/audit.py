"""Compare every printed number with ours, and judge every claim."""

from pathlib import Path

import pandas as pd

from _job import job

snakemake = globals()["snakemake"]

with job(snakemake):
    from mlreduce.files import replacing, write_text
    from mlreduce_studies.gathering.job_tables import read_failures, read_table
    from mlreduce_studies.gathering.summary import write_csv
    from mlreduce_studies.verdicts.audit import audit, audit_markdown, audit_sizes, read_published, read_sizes
    from mlreduce_studies.verdicts.claims import claims_markdown, judge_claims
    from mlreduce_studies.verdicts.order import audit_order
    from mlreduce_studies.verdicts.reading import Known, read_claims
    from mlreduce_studies.verdicts.studies import results_of

    study = snakemake.wildcards.study
    printed = list(snakemake.params.published)  # none where the paper printed no numbers
    published = read_published(printed[0]) if printed else None
    cells = audit({Path(path).stem: pd.read_csv(path) for path in snakemake.input.tables}, published)
    described = read_table(snakemake.input.datasets)
    sizes = audit_sizes(read_sizes(snakemake.params.sizes[0]) if snakemake.params.sizes else None, described)
    ratios = read_table(snakemake.input.ratios[0]) if snakemake.input.ratios else None
    settings = snakemake.params.settings
    # A run of some methods does not know the names of the others, which claims may use.
    known = Known(**settings["names"]) if snakemake.params.all_methods else None
    about = [claim for path in snakemake.params.claims for claim in read_claims(path, known)]
    gathered = {Path(path).stem: read_table(path) for path in snakemake.input.gathered}
    scores = [path for path in snakemake.input.gathered if Path(path).stem == "scores"]
    results = results_of(settings, {**gathered, "datasets": described}, read_failures(scores), cells, ratios)
    order = audit_order(published, settings["tables"], results, ratios)
    # Claims are about the data sets of the paper: those on one that was not run are not run.
    judged = judge_claims(about, results, settings["datasets"])
    numbers = audit_markdown(cells, study, sizes, ratios, order)
    text = f"{numbers}\n{claims_markdown(judged.claims, judged.lines, study)}"
    if snakemake.params.own_data:
        text = "The claims and printed numbers of the papers are about other data than these.\n"
    if snakemake.params.left_out:
        text += f"\nLeft out, since the mirror does not hold them: {', '.join(snakemake.params.left_out)}.\n"
    for name, table in {"csv": cells, "sizes": sizes, "order": order, **judged._asdict()}.items():
        with replacing(snakemake.output[name]) as path:
            write_csv(table, path)
    write_text(snakemake.output.md, text)
