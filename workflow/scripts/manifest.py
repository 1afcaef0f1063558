"""What made the scores of a study."""

import json
from pathlib import Path

from _station import station

snakemake = globals()["snakemake"]

with station(snakemake):
    from mlreduce.files import replacing
    from mlreduce.provenance import environment, file_sha256

    made = environment(snakemake.scriptdir, snakemake.input.data)
    content = {
        "study": snakemake.wildcards.study,
        **snakemake.params.study,
        "scores_sha256": file_sha256(snakemake.input.scores),
        **made,
    }
    with replacing(snakemake.output[0]) as path:
        Path(path).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
