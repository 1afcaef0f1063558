"""What a change makes anew, and what it leaves; and what changes no byte."""

from __future__ import annotations

import pytest
from project import SEPARATE, STUDY

pytestmark = pytest.mark.slow
REPORT = {"gather", "tables", "figures", "audit", "manifest", "site", "all"}


def test_a_predictors_parameter_fits_nothing_again(apart):
    apart.edit("small.yaml", "ridge: {alpha: 1.0}", "ridge: {alpha: 2.0}")
    planned = apart.plan(*SEPARATE)
    assert planned.keys() == {"choose", "fit", "predict", *REPORT}
    assert (planned["fit"], planned["predict"]) == (
        2,
        8,
    )  # fits of the searched group alone: a search asks the predictor
    before = apart.path(f"{STUDY}/fitted/planted-300/halves.plain/000-000.npz").stat().st_mtime_ns
    apart.run(*SEPARATE)
    assert apart.path(f"{STUDY}/fitted/planted-300/halves.plain/000-000.npz").stat().st_mtime_ns == before


def test_a_method_of_ones_own_runs_nothing_of_the_others_again(apart):
    apart.edit("small.yaml", "  own: {mine: {}}", "  own: {mine: {}}\n  more: {again: {method: mine}}")
    planned = apart.plan(*SEPARATE)
    assert {step: planned[step] for step in ("fit", "predict", "time")} == {"fit": 2, "predict": 2, "time": 1}
    assert planned.keys() <= {"fit", "predict", "time", *REPORT}
    assert "choose" not in planned


@pytest.mark.promise
def test_only_what_a_change_touches_runs_again(apart):
    method = "src/mlreduce/projection/mine.py"
    apart.edit(method, '"""Mine."""', '"""Mine: another docstring."""\n# and a comment')
    assert apart.plan(*SEPARATE) == {}
    apart.edit("small.yaml", 'kind: ranked, caption: "Hamming loss"', 'kind: ranked, caption: "Loss"')
    assert apart.plan(*SEPARATE).keys() == {"tables", "manifest", "site", "all"}
    apart.edit("src/mlreduce/plot/layout.py", '"markersize": 4', '"markersize": 5')
    assert apart.plan(*SEPARATE).keys() == {"tables", "figures", "manifest", "site", "all"}
    apart.edit(method, "time.sleep(0.1)", "time.sleep(0.2)")
    planned = apart.plan(*SEPARATE)
    assert planned.keys() == {"fit", "predict", "time", *REPORT}
    assert (planned["fit"], planned["predict"], planned["time"]) == (2, 2, 1)
    apart.run(*SEPARATE)
    assert apart.plan(*SEPARATE) == {}


def test_a_project_that_is_moved_takes_its_results_along(apart, tmp_path):
    assert apart.copy(tmp_path / "moved").plan(*SEPARATE) == {}


@pytest.mark.parametrize(
    "options",
    [
        ("splits_per_job=2",),
        ("bundle=true",),
        ("job_per_fit=true",),
        ("order",),
        pytest.param(("bundle=true", "order"), marks=pytest.mark.promise),
    ],
    ids=str,
)
def test_cores_batches_bundles_and_order_change_no_byte(project, undisturbed, options):
    changed = [option for option in options if "=" in option]
    if "order" in options:
        project.edit("small.yaml", "plain: {pca: {}, mddmp: {}}", "plain: {mddmp: {}, pca: {}}")
    project.run("--cores", "1", *SEPARATE, *changed)
    found, expected = project.results(), undisturbed.results()
    assert found.keys() == expected.keys()
    assert [name for name in found if found[name] != expected[name]] == []
