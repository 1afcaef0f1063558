"""The logger plugin in Snakemake's own process, on a workflow of four jobs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from project import PROJECT

SNAKEFILE = """
targets = [rule.name for rule in workflow.rules] + ["tables_gmba"]
logger.info(None, extra={"targets": targets, "page": lambda: "results/demo/report.html"})

rule all:
    default_target: True
    input: "results/demo/report.html"

rule fit:
    output: "results/demo/{study}/{dataset}.fit"
    log: "{study}.{dataset}.log"
    shell: "if [ -e broken ]; then echo 'mlreduce: no rows' > {log}; exit 1; fi; touch {output}"

rule tables_gmba:
    input: "results/demo/gmba-2016/digits.fit"
    output: "results/demo/gmba-2016/table3.md"
    shell: "printf '# Title\\\\n\\\\n| a | b |\\\\n| --- | --- |\\\\n| 1 | 2 |\\\\n' > {output}"

rule report:
    input: rules.tables_gmba.output
    output: update("results/demo/report.html")
    shell: "touch {output}"
"""


@pytest.mark.slow
def test_what_a_run_prints(tmp_path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE)

    def run(*options):
        command = [sys.executable, "-m", "snakemake", "--logger", "mlreduce", "--cores", "1", *options]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(PROJECT / "src")},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done.returncode, (done.stdout + done.stderr).splitlines()

    code, lines = run("-n")
    assert code == 0
    assert [line.split()[:3] for line in lines[1:3]] == [["fit", "gmba-2016", "1"], ["tables", "gmba-2016", "1"]]
    assert lines[-1] == "4 jobs"

    (tmp_path / "broken").touch()
    code, lines = run()
    assert code == 1
    assert lines[:3] == ["Failed: gmba-2016  digits  fit", "  mlreduce: no rows", "  log: gmba-2016.digits.log"]
    assert len(lines) == 5

    (tmp_path / "broken").unlink()
    code, lines = run()
    assert code == 0
    assert [line.partition("] ")[2] for line in lines if line.startswith("[")] == [
        "gmba-2016  digits  fit",
        "gmba-2016  tables",
        "report",
    ]
    assert lines[2:6] == ["  Title", "  a  b", "  1  2", "  results/demo/gmba-2016/table3.md"]
    assert lines[-1] == "The report: results/demo/report.html"
    code, lines = run()
    assert code == 0
    assert lines[-1] == "The report: results/demo/report.html"

    assert run("tables_gbma") == (1, ["There is no rule or file 'tables_gbma'.", "Did you mean 'tables_gmba'?"])
