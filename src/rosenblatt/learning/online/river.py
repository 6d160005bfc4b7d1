"""River's protocol: its base class, where river is installed, and what its models expect."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Self

from rosenblatt.learning.params import Parameters

if TYPE_CHECKING:
    RiverClassifier = object
else:
    try:  # river.base imports the standard library alone
        from river.base import MiniBatchClassifier as RiverClassifier
    except ImportError:
        RiverClassifier = object


class RiverProtocol(Parameters):
    """Methods of river's classifiers other than learning and predicting.

    A class that also inherits ``RiverClassifier`` is one of river's classifiers wherever river is
    installed, in whatever order the two libraries are imported.

    Examples
    --------
    >>> from rosenblatt import OnlinePerceptron
    >>> OnlinePerceptron().clone({"output": "average"})
    OnlinePerceptron(output='average')
    """

    _multiclass = True
    _is_stochastic = False

    def __str__(self) -> str:  # river's is the name alone
        return repr(self)

    def clone(
        self, new_params: dict[str, object] | None = None, include_attributes: bool = False
    ) -> Self:
        """Copy the model with its parameters, untrained unless ``include_attributes``.

        Parameters
        ----------
        new_params : dict, optional
            Parameters to change.
        include_attributes : bool, default=False
            Whether to copy the trained state, too.
        """
        if include_attributes:
            model = copy.deepcopy(self)
        else:
            model = type(self)(**copy.deepcopy(self.get_params()))
        model.set_params(**(new_params or {}))
        return model

    def _get_params(self) -> dict[str, object]:
        params: dict[str, object] = self.get_params(deep=False)
        return params
