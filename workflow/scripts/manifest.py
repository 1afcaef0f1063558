"""What made the scores of a study."""

import json
from pathlib import Path

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.files import file_sha256, replacing
    from mlreduce.provenance import environment

    made = environment(snakemake.scriptdir, snakemake.input.data)
    content = {
        "study": snakemake.wildcards.study,
        **snakemake.params.study,
        "scores_sha256": file_sha256(snakemake.input.scores),
        **made,
    }
    with replacing(snakemake.output[0]) as path:
        Path(path).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
