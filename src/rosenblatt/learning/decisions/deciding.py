"""Decisions by probabilities: the label of the least expected cost, and sets of labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rosenblatt.learning.base import BaseLearner, changing, locks_of, reading
from rosenblatt.learning.decisions.costs import Costs
from rosenblatt.learning.decisions.sets import KeptScores, conformal_quantile, kept_scores
from rosenblatt.learning.problem import FitRun
from rosenblatt.utils.arrays import Array, ArrayLike
from rosenblatt.utils.checks import check_number
from rosenblatt.utils.labels import as_labels
from rosenblatt.utils.matrices import as_vector


class Decisions(BaseLearner):
    """What a classifier with probabilities does with them. A part of ``BaseClassifier``."""

    classes_: Array
    _costs: Costs | None = None
    _set_scores: KeptScores | None = None

    def _log_probabilities(self, scores: Array) -> Array:
        """Return the logarithms of the probabilities of scores: of the class."""
        raise NotImplementedError

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the scores: of the class."""
        raise NotImplementedError

    def _new_labels(self, y: Array) -> list[Any]:
        """Return the labels of y that are no classes: of the class."""
        raise NotImplementedError

    def _require_probabilities(self, purpose: str) -> None:
        if not hasattr(self, "predict_proba"):
            raise ValueError(
                f"{purpose} probabilities, and this model has none: make it with "
                "probabilities=True, or take a rule of log odds, such as rule='logistic'."
            )

    # --- costs -----------------------------------------------------------------------------------

    @property
    def costs_(self) -> Costs | None:
        """The costs by which the model predicts; None where it predicts the most probable class."""
        return self._costs

    def set_costs(
        self, false_positive: float | None = None, false_negative: float | None = None
    ) -> Self:
        """Predict by the costs of the two errors, from the next prediction on.

        The second class is predicted where its probability is at least
        false_positive/(false_positive + false_negative). Weights, scores and probabilities stay as
        they are, and so does the count ``errors_``. Fits, copies and model files keep the costs; a
        ``clone`` of scikit-learn, which takes over parameters alone, does not.

        Parameters
        ----------
        false_positive : float > 0, optional
            Cost of a row predicted as the second class that is of the first.
        false_negative : float > 0, optional
            Cost of a row predicted as the first class that is of the second. Without the two, the
            model predicts the most probable class again.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A cost is no positive number, one of the two is missing, the model has no probabilities
            (``predict_proba``), or it has more than two classes.

        References
        ----------
        Elkan 2001.

        Examples
        --------
        >>> from rosenblatt import Perceptron
        >>> model = Perceptron(rule="logistic").fit([[0.0], [1.0]], ["ham", "spam"])
        >>> model.predict([[0.4]]).tolist(), model.set_costs(1, 9).predict([[0.4]]).tolist()
        (['ham'], ['spam'])
        """
        costs = None
        if (false_positive, false_negative) != (None, None):
            costs = Costs.of(false_positive, false_negative)
            self._require_probabilities("costs set a threshold of")
            if self._is_fitted():
                self._check_costs(len(self.classes_))
        with changing(self):
            self._costs = costs
        return self

    def _check_costs(self, count: int) -> None:
        """Refuse costs for more than two classes."""
        if count > 2:
            raise ValueError(
                "costs are those of the two errors of two classes, and there are three or more: "
                "leave them out. In Python, set_costs() clears those of a model; in a command, "
                "leave out --cost, and --from with a model that has costs."
            )

    def _decides_by_costs(self) -> bool:
        """Return True where costs decide between two labels; they need probabilities."""
        if self._costs is None or len(self.classes_) != 2:
            return False
        self._require_probabilities("costs set a threshold of")
        return True

    def _codes_by_costs(self, log_probabilities: Array) -> Array:
        """Return the codes of the labels of the least expected cost, of two."""
        assert self._costs is not None
        return (np.exp(log_probabilities[:, 1]) >= self._costs.threshold).astype(np.intp)

    # --- sets ------------------------------------------------------------------------------------

    def calibrate_sets(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Keep how probable the labels of held-out rows are, for :meth:`predict_set`.

        The scores 1 − p(label) are kept, those of a random choice of 2,000 rows where there are
        more, and model files have them. They are those of the model as it is now: once it learns
        more, is fitted anew or gets other weights, they no longer count.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            Rows that the model has not learned.
        y : array of shape (n,)
            Their labels, which are classes of the model.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            The model has no probabilities, there is no row, there is not one label a row, a label
            is no class, or a number is not valid.
        """
        with locks_of(self).learning:  # scores and counter are of one model; others may predict
            scores = kept_scores(self._label_scores(X, y, refuse_new=True))
            with changing(self):
                self._set_scores = KeptScores(int(self._state.t[0]), scores)
        return self

    @reading
    def _label_scores(self, X: ArrayLike, y: ArrayLike, *, refuse_new: bool) -> Array:
        """Return 1 − p(label) of each row: 1 for a label that is no class, or refuse it."""
        self._require_probabilities("prediction sets need")
        likely = np.exp(self._log_probabilities(self.decision_function(X)))
        labels = as_vector(as_labels(y), len(likely))
        if refuse_new and (new := self._new_labels(labels)):
            raise ValueError(
                f"y has the label {new[0]!r}, which is none of the classes "
                f"{self.classes_.tolist()}."
            )
        is_label = labels[:, np.newaxis] == self.classes_
        return np.asarray(1.0 - (likely * is_label).sum(axis=1))

    def _set_fitted(self, run: FitRun, fitted: dict[str, object]) -> None:
        super()._set_fitted(run, fitted)
        self._forget_set_scores()

    def _forget_set_scores(self) -> None:
        """Drop scores whose weights were replaced: the step counter may be the same."""
        vars(self).pop("_set_scores", None)

    @property
    def set_scores_(self) -> Array | None:
        """The sorted scores of :meth:`calibrate_sets`; None if the model has learned since."""
        kept = self._set_scores
        return None if kept is None or kept.t != int(self._state.t[0]) else kept.scores

    @reading
    def predict_set(self, X: ArrayLike, coverage: float = 0.9) -> Array:
        """Return the labels that are probable enough: a set that has the right one mostly.

        A label is in the set where 1 − p(label) is at most the ⌈(n + 1) coverage⌉-th smallest of
        the n scores of :meth:`calibrate_sets`. If those rows and the new ones are exchangeable,
        such as drawn at random from the same data, the set has the label of a new row with
        probability ``coverage`` or more, however wrong the probabilities are. The promise is about
        the mean over rows, not about each row or class. Under drift it does not hold:
        :class:`rosenblatt.sets.AdaptiveSets` adapts to labels that arrive.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        coverage : float in (0, 1), default=0.9
            With too few scores for it, fewer than coverage/(1 − coverage), each set has all labels.

        Returns
        -------
        sets : bool ndarray of shape (n, K)
            Whether each label of ``classes_`` is in the set. A set may be empty.

        Raises
        ------
        ValueError
            The model has no probabilities, or no scores since it learned last.

        References
        ----------
        Vovk, Gammerman and Shafer 2005; Papadopoulos et al. 2002 (held-out scores); Sadinle, Lei
        and Wasserman 2019 (the score 1 − p).

        Examples
        --------
        >>> from rosenblatt import Perceptron
        >>> model = Perceptron(rule="logistic").fit([[0.0], [1.0]], ["ham", "spam"])
        >>> X, y = [[0.1], [0.4], [0.7], [0.9]], ["ham", "spam", "ham", "spam"]
        >>> sets = model.calibrate_sets(X, y).predict_set([[-0.5], [0.5]], coverage=0.6)
        >>> [model.classes_[row].tolist() for row in sets]
        [['ham'], ['ham', 'spam']]
        """
        return self._sets_of(self.decision_function(X), coverage)

    def _sets_of(self, scores: Array, coverage: float) -> Array:
        """Return the sets of rows with these scores."""
        self._require_probabilities("prediction sets need")
        check_number(coverage, "coverage", 0, 1, open_low=True, open_high=True)
        if (kept := self.set_scores_) is None:
            raise ValueError(
                "prediction sets need scores of held-out rows since the model learned last: call "
                "calibrate_sets(X, y)."
            )
        likely = np.exp(self._log_probabilities(scores))
        return np.asarray(1.0 - likely <= conformal_quantile(kept, coverage))
