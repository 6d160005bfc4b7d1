"""What river asks of a classifier, without river."""

from __future__ import annotations

import copy
import sys
from typing import Any, NoReturn, Self

from sklearn.base import BaseEstimator, clone


class RiverProtocol(BaseEstimator):
    """The part of river's protocol that is not learning.

    Examples
    --------
    >>> from rosenblatt import OnlinePerceptron
    >>> OnlinePerceptron().clone({"output": "average"})
    OnlinePerceptron(output='average')
    """

    _supervised = True
    _multiclass = True
    _is_stochastic = False

    def predict_proba_one(self, x: Any) -> NoReturn:
        """Refuse: a perceptron's scores are no probabilities.

        Raises
        ------
        NotImplementedError
            As river's classifiers without probabilities do.
        """
        raise NotImplementedError("A perceptron's scores are no probabilities: use score_one.")

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> Self:
        """A model of the same parameters that has learned nothing.

        Parameters
        ----------
        new_params : dict, optional
            Parameters to change.
        include_attributes : bool, default=False
            Whether to keep what was learned.
        """
        fresh: Self = copy.deepcopy(self) if include_attributes else clone(self)
        fresh.set_params(**(new_params or {}))
        return fresh

    def _get_params(self) -> dict[str, Any]:
        params: dict[str, Any] = self.get_params(deep=False)
        return params


def introduce(kind: type) -> None:
    """Let river, where it is loaded, count a class among its classifiers: it asks isinstance.

    Our side imports nothing of it.
    """
    base = sys.modules.get("river.base")
    if base is not None:
        base.Classifier.register(kind)
