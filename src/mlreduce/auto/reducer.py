"""The estimator that searches for a model within a time."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any, NamedTuple, Self

import joblib
import numpy as np
import pandas as pd
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mlreduce.auto import trials
from mlreduce.auto.candidates import given_candidates
from mlreduce.auto.explanation import CHOSEN, MEMBER, SLOW, describe_slow, draw, explain, write
from mlreduce.auto.search import EXCLUDED, Limits, Record, Search, in_seconds, mean_interval
from mlreduce.auto.stack import Stack, choose_stack
from mlreduce.auto.trials import FAILED, Problem, features_of, labels_for, milliseconds_of, scores_of
from mlreduce.exceptions import DataError, warn
from mlreduce.methods.shapes import shape_of
from mlreduce.metrics.measures import Measure, find_measure
from mlreduce.predictors._base import DecidingClassifier
from mlreduce.predictors.calibration import Calibration
from mlreduce.predictors.decision import Decision, check_decision
from mlreduce.predictors.ridge import RidgeRegressor
from mlreduce.predictors.threshold import ThresholdClassifier
from mlreduce.validation import FloatArray, check_count, check_features, check_range, is_sparse
from mlreduce.validation.limits import within_limits


class _Model(NamedTuple):
    """A refitted candidate."""

    record: Record
    estimator: Any


class AutoReducer(DecidingClassifier):
    """Multi-label classifier that searches for the best pipeline of scaling, reduction and predictor within a time.

    All features with ridge regression and with ML-kNN are always tried first; then other scalings and predictors, and
    the selectors, projections and label coders that rank first in the benchmark among those that fit the data.
    Successive halving tries all candidates on a part of the rows, the better half on more, and the best few on all
    folds. What wins is fitted to all rows. Scores are calibrated: they are probabilities, by a logistic curve for each
    label of held-out scores.

    Parameters
    ----------
    time_budget : float, default=60
        Seconds of `fit`, > 0. It cuts the list of candidates only; a call of compiled code ends before it is looked at.
    measure : str, default="average-precision"
        What is searched for, of `mlreduce.metrics.MEASURES`: a measure of predicted labels or of scores. Errors are
        minimised.
    memory : float or None, default=None
        Gigabytes by which a fit may enlarge the process, > 0, on Linux; None is no limit.
    n_jobs : int or None, default=None
        Candidates that are tried at once, in processes; -1 for all processors, None for 1 unless joblib sets another.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of estimators that draw and have none.
    candidates : list or None, default=None
        Estimators or pairs (name, estimator) to try in place of those that are built, or in addition to them where the
        list holds ``"auto"``: multi-label predictors, label coders, or transformers, which ridge regression follows.
    max_features : int or None, default=None
        Features or directions that the predictor of the model may get, at least 1, of all members of a stack together;
        None is no limit.
    max_predict_ms : float or None, default=None
        Milliseconds that the prediction of one row may take, > 0, as the median of 20; None is no limit.

    Attributes
    ----------
    leaderboard_ : DataFrame
        A row per candidate, the best first: ``candidate``, ``reduction``, requested ``size``, ``scaling``,
        ``predictor``, ``features`` that the predictor gets, ``score``, ``low`` and ``high`` (95 % interval over the
        folds), ``folds``, ``seconds`` of a trial, ``megabytes`` by which the memory grew, ``milliseconds`` for a row
        (with ``max_predict_ms``), training ``rows``, ``status`` and the ``reason`` of it.
    fold_scores_ : DataFrame
        Scores by candidate and fold of those that are compared in the end.
    best_estimator_ : estimator
        The best candidate, fitted to all rows: a pipeline of scikit-learn whose last step calibrates scores, or the
        estimator that was given.
    estimators_, weights_, stacked_ : list of estimators, ndarray, list of str
        Those whose scores are averaged, their weights and their names; one where no stack is better.
    score_ : float
        Of the model: the mean over folds. It is the best of many, and so a little too good.
    unreduced_score_ : float
        Of the best candidate with all features, on the same folds; NaN where none was finished.
    seconds_ : float
        Of `fit`.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted whose score is above.
    k_ : int
        The number of labels.
    classes_ : ndarray of shape (n_labels,)
        The numbers of the labels; 0 and 1 where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    The same seed and the same finished candidates give the same model. Scores are compared without their last bits, and
    of equal ones the candidate that reduces less, or is cheaper, is taken. A stack, the weighted mean of the scores of
    the best candidates, is taken where it is better by more than 0.002 on held-out rows, with weights that other folds
    chose. An interruption during the search ends it with the best so far.

    References
    ----------
    Caruana, Niculescu-Mizil, Crew and Ksikes (2004), "Ensemble selection from libraries of models", ICML. Platt (1999),
    "Probabilistic outputs for support vector machines and comparisons to regularized likelihood methods".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> tried = [("mvmd", mlreduce.MVMD(n_components=5)), ("sir", mlreduce.SIR())]
    >>> model = mlreduce.AutoReducer(time_budget=20, candidates=tried, random_state=0).fit(data.X, data.Y)
    >>> model.predict(data.X).shape
    (300, 12)
    >>> sorted(model.leaderboard_["candidate"])
    ['ml-knn', 'mvmd', 'ridge', 'sir']
    """

    takes_unknown_cells = True

    def __init__(
        self,
        time_budget: float = 60,
        measure: str = "average-precision",
        memory: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        candidates: Any = None,
        max_features: int | None = None,
        max_predict_ms: float | None = None,
    ) -> None:
        self.time_budget = time_budget
        self.measure = measure
        self.memory = memory
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.candidates = candidates
        self.max_features = max_features
        self.max_predict_ms = max_predict_ms

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # rows with weights would be in several folds
        """Search for the best candidate within the time, and fit it to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels) or (n_samples,)
            Labels in {0, 1} or {-1, 1}; NaN where not known, which leaves out candidates that do not take them.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If a feature is not finite, a label is not 0/1 or -1/1, a parameter is out of range, there are fewer than
            four rows, or no candidate is within ``max_features`` and ``max_predict_ms``.
        KeyboardInterrupt
            If it is interrupted before the first candidate is finished, or during the last fit.
        """
        return super().fit(X, y)

    def _decide(self, features: Any, labels: Any) -> None:
        began = trials.now()
        measure, decision_measure = self._check()
        given, automatic = ([], True) if self.candidates is None else given_candidates(self.candidates)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        problem = Problem(self._table(features), labels, measure, decision_measure)
        limits = Limits(
            began,
            self.time_budget,
            self.memory,
            self.max_features,
            self.max_predict_ms,
            joblib.effective_n_jobs(self.n_jobs),
        )
        search = Search(problem, shape_of(features, labels), limits, seed)
        search.run(given, automatic)
        if search.interrupted:
            warn("the search was interrupted: the model is the best of what was finished", UserWarning)
        self._finish(search, problem, limits, seed)
        self.seconds_ = trials.now() - began

    def _check(self) -> tuple[Measure, str]:
        """Check the parameters; return the measure and what a threshold maximises."""
        measure = find_measure(self.measure)
        if measure.needs not in ("labels", "scores") or "@" in self.measure:
            raise DataError(
                f"measure must be one of labels or scores, as micro-f1 or average-precision; got {self.measure!r}"
            )
        for name in ("time_budget", "memory", "max_predict_ms"):
            if name == "time_budget" or getattr(self, name) is not None:
                check_range(getattr(self, name), name, 0, math.inf, open_ends=True)
        if self.max_features is not None:
            check_count(self.max_features, "max_features")
        decision_measure = self.measure if measure.needs == "labels" else "micro-f1"
        check_decision("one-threshold", decision_measure)
        return measure, decision_measure

    def _table(self, features: Any) -> Any:
        """Return checked features with the names of their columns, by which steps of a pipeline may take them."""
        names = getattr(self, "feature_names_in_", None)
        return features if names is None or is_sparse(features) else pd.DataFrame(features, columns=names)

    def _finish(self, search: Search, problem: Problem, limits: Limits, seed: int) -> None:
        """Fit what is best to all rows, and choose the threshold on held-out scores."""
        in_time = search.preferred()
        ranked = in_time or self._cheapest(search)
        best = next(filter(None, (self._refit(record, problem, limits, seed) for record in ranked)), None)
        self._describe(search, problem, best)
        if best is None:
            self._fall_back(search, problem)
            return
        record, rounds = best.record, search.last_rounds(best.record)
        after = ranked[ranked.index(record) + 1 :]
        members, stack = self._stack(best, after, search, problem, limits, seed)
        self.estimators_ = [one.estimator for one in members]
        self.stacked_ = [one.record.candidate.name for one in members]
        self.best_estimator_ = best.estimator
        labels = problem.labels_of(search.rows_of(rounds))
        decision = problem.decide(np.concatenate(search.calibrated(record)), labels)
        self._curves = [_complete(one.estimator, search.curves(one.record), decision, problem) for one in members]
        sign = 1.0 if problem.measure.higher_is_better else -1.0
        self.score_ = sign * (record.mean(rounds) if stack is None else stack.value)
        self.weights_, self._stack_of = np.ones(1), stack
        if stack is not None:
            if best not in members:
                _complete(best.estimator, search.curves(record), decision, problem)
            self.weights_ = stack.weights
            self.fold_scores_.loc["stack"] = [sign * value for value in stack.values]
            parts = [np.concatenate(search.calibrated(one.record)) for one in members]
            decision = problem.decide(stack.combine(parts), labels)
        self._set(decision)
        for one in [best, *members]:
            row = self.leaderboard_["candidate"] == one.record.candidate.name
            self.leaderboard_.loc[row, "status"] = CHOSEN if one is best else MEMBER
        for sentence in describe_slow(self) if in_time else []:  # otherwise there was a warning
            warn(sentence, UserWarning)

    def _cheapest(self, search: Search) -> list[Record]:
        """Return what has the shortest fit to all rows, where each is expected to take longer than there is time."""
        slow = sorted((one for one in search.records if one.status == SLOW), key=search.expected)
        if slow:
            warn(
                f"time_budget={self.time_budget:g} s is too short for a fit of any candidate to all rows: that of "
                f"{slow[0].candidate.name} is expected to take {in_seconds(search.expected(slow[0]))}",
                UserWarning,
            )
        return slow[:1]

    def _refit(
        self, record: Record, problem: Problem, limits: Limits, seed: int, *, in_time: bool = False
    ) -> _Model | None:
        """Fit a candidate to all rows; None, with the reason in its record, where that fails or takes too much."""
        made = record.candidate.make(seed)
        most_of_fit = {} if limits.memory is None else {"gigabytes": limits.memory}
        if in_time:
            most_of_fit["wall_seconds"] = max(limits.left, 1e-3)
        try:
            with warnings.catch_warnings(action="ignore"), within_limits(most_of_fit):
                made.fit(problem.X, labels_for(made, problem.labels))
            features = features_of(made, problem.X.shape[1])
            most = limits.max_predict_ms
            if most is not None:
                record.milliseconds = milliseconds_of(made, problem, np.arange(1))
        except Exception as error:  # noqa: BLE001 - the next one is taken
            record.status, record.reason = FAILED, f"on all rows: {type(error).__name__}: {error}"[:160]
            return None
        if limits.max_features is not None and features > limits.max_features:
            record.status, record.reason = EXCLUDED, f"takes {features} features of all rows"
        elif most is not None and record.milliseconds > most:
            record.status, record.reason = EXCLUDED, f"takes {record.milliseconds:.2g} ms for a row, of all rows"
        else:
            return _Model(record, made)
        return None

    def _stack(
        self, best: _Model, others: list[Record], search: Search, problem: Problem, limits: Limits, seed: int
    ) -> tuple[list[_Model], Stack | None]:
        """Return the members of the stack, fitted to all rows; the best alone where no stack is better or in time."""
        rounds = search.rounds
        among = [best.record]
        for one in others:  # as long as their refits are in time, and within what the model may take
            more = [*among, one]
            if (
                sum(search.expected(record) for record in more[1:]) < limits.left
                and sum(record.features for record in more) <= (limits.max_features or math.inf)
                and (limits.max_predict_ms is None or sum(r.milliseconds for r in more) <= limits.max_predict_ms)
            ):
                among = more
        if len(among) < 2 or len(rounds) < 2:
            return [best], None
        labels = [problem.labels_of(search.folds[number][1]) for number in rounds]
        scores = [search.calibrated(record) for record in among]
        refits = sum(search.expected(record) for record in among[1:])
        stack = choose_stack(problem, labels, scores, best.record.mean(rounds), lambda: limits.left > refits)
        if stack is None:
            return [best], None
        made = [
            best if place == 0 else self._refit(among[place], problem, limits, seed, in_time=True)
            for place in stack.members
        ]
        members = [one for one in made if one is not None]
        return (members, stack) if len(members) == len(made) else ([best], None)

    def _describe(self, search: Search, problem: Problem, best: _Model | None) -> None:
        """Set what is known of the candidates."""
        self.leaderboard_ = search.leaderboard()
        self._test_share = search.test_share
        sign = 1.0 if problem.measure.higher_is_better else -1.0
        rounds, full = search.rounds, search.best_unreduced()
        others = [full, None if best is None else best.record]
        compared = [*dict.fromkeys([*search.ranked(), *(one for one in others if one is not None)])]
        compared = [one for one in compared if all(number in one.values for number in rounds)]
        values = {one.candidate.name: [sign * one.values[number] for number in rounds] for one in compared}
        self.fold_scores_ = pd.DataFrame.from_dict(values, orient="index", columns=range(len(rounds)))
        self.unreduced_score_ = np.nan if full is None else sign * full.mean(rounds)

    def _fall_back(self, search: Search, problem: Problem) -> None:
        """Fit ridge regression on all features, whatever it takes; refuse where limits of the model exclude it."""
        if any(record.status == EXCLUDED for record in search.records):
            raise DataError(
                f"no candidate that was finished is within max_features={self.max_features} and "
                f"max_predict_ms={self.max_predict_ms}; raise them, or the time_budget"
            )
        reason = search.records[0].reason
        warn(
            f"no candidate was finished in time_budget={self.time_budget:g} s ({reason}): the model is ridge "
            "regression on all features",
            UserWarning,
        )
        made = ThresholdClassifier(RidgeRegressor(), "one-threshold", problem.decision_measure)
        made.fit(problem.X, labels_for(made, problem.labels))
        self.best_estimator_, self.estimators_, self.stacked_ = made, [made], [search.records[0].candidate.name]
        self.weights_, self._stack_of, self._curves, self.score_ = np.ones(1), None, [None], np.nan
        self._set(made._decision)

    def _scores(self, X: Any) -> FloatArray:
        check_is_fitted(self, "estimators_")
        table = self._table(check_features(self, X, reset=False))
        parts = [scores_of(one, table, self._n_labels) for one in self.estimators_]
        curves = zip(parts, self._curves, strict=True)
        parts = [part if curve is None else curve.apply(part) for part, curve in curves]
        return parts[0] if self._stack_of is None else self._stack_of.combine(parts)

    def explain(self) -> str:
        """Return what was tried, what was chosen, and what reducing brought against all features.

        Returns
        -------
        str
            A few lines, with the numbers of ``leaderboard_``.
        """
        check_is_fitted(self, "estimators_")
        return explain(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the scores of the candidates against the seconds of a trial, with and without a reduction.

        Parameters
        ----------
        ax : Axes or None, default=None
            None makes a figure.

        Returns
        -------
        Axes
            Candidates that were compared in the end are filled; the chosen one has its name.
        """
        check_is_fitted(self, "estimators_")
        return draw(self, ax)

    def to_html(self, path: str | Path) -> Path:
        """Write a page that opens offline: what was found, a figure, and the leaderboard with all reasons.

        Without Matplotlib (``pip install 'mlreduce[plot]'``) the figure is left out, with a note on the page.

        Parameters
        ----------
        path : path
            A file, which is replaced.

        Returns
        -------
        Path
            Of the page.
        """
        check_is_fitted(self, "estimators_")
        return write(self, Path(path))

    def difference_interval(self, candidate: str, other: str) -> tuple[float, float]:
        """Return the 95 % interval of the mean difference of two candidates on the same folds.

        Parameters
        ----------
        candidate, other : str
            Names of ``fold_scores_``.

        Returns
        -------
        low, high : float
            Of the first less the second, by the Bayesian correlated t-test; NaN for one fold.

        Raises
        ------
        DataError
            If a candidate is not in ``fold_scores_``.
        """
        check_is_fitted(self, "estimators_")
        for name in (candidate, other):
            if name not in self.fold_scores_.index:
                raise DataError(f"{name!r} is not among the candidates that were compared on the same folds")
        scores = self.fold_scores_.loc[[candidate, other]].to_numpy(dtype=np.float64)
        return mean_interval(scores[0] - scores[1], self._test_share)


def _complete(estimator: Any, curves: Calibration, decision: Decision, problem: Problem) -> Calibration | None:
    """Let a fitted candidate calibrate its scores and decide, as if fitted so; return the curves where it cannot."""
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    if not isinstance(last, ThresholdClassifier) or last.calibrate:
        return curves
    last.set_params(decision=decision.rule, measure=problem.decision_measure, calibrate=True)
    last.calibration_ = curves
    last._set(decision)
    return None
