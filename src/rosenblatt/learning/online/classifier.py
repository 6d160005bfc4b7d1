"""OnlineClassifier: rows of named features, with nothing to choose and with probabilities."""

from __future__ import annotations

from dataclasses import dataclass, field

from rosenblatt.learning.online.estimator import OnlinePerceptron
from rosenblatt.learning.params import ClassWeight


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineClassifier(OnlinePerceptron):
    """Online classifier of rows of named features, with nothing to choose, and with probabilities.

    It is :class:`OnlinePerceptron` with the rule "auto" (:class:`rosenblatt.rules.Auto`): three
    learners, of which one remembers all rows and two forget, and a blend that finds which of them
    to trust. A row is predicted by w·x + b, with w = Σ a_e w_e. To multiply a feature by a number
    changes no prediction. The scores are log odds: :meth:`predict_proba_one` gives 1/(1 + exp(−s))
    of two labels, of more the softmax of their scores.

    The weights equal those of :meth:`rosenblatt.Classifier.partial_fit` on the same rows, bit for
    bit, for single rows and for batches. Rows, labels, threads and river are as there: a row is a
    dict, a text, or a row of an array, and new names and labels may appear at any time.

    Each row is to be learned once. Rows that are learned again make the probabilities too sure,
    since the blend takes the scores of rows that are known already for those of new ones.

    Parameters
    ----------
    class_weight : dict of labels to numbers, or None, default=None
        Factors of the examples' weights; a label that is not in the dict has 1.
    max_features : int ≥ 1 or None, default=None
        Maximal number of feature names, to bound memory: later names are ignored and counted in
        ``ignored_``. Without effect on arrays.

    Attributes
    ----------
    classes_, feature_names_, ignored_, mistakes_, updates_, errors_, t_
        As in :class:`OnlinePerceptron`.

    Raises
    ------
    ValueError, TypeError
        Of its methods, as in :class:`OnlinePerceptron`.

    References
    ----------
    See :class:`rosenblatt.rules.Auto`.

    Examples
    --------
    >>> model = OnlineClassifier()
    >>> for text, label in [("win a free prize", "spam"), ("lunch at noon?", "ham")] * 3:
    ...     model = model.learn_one(text, label)
    >>> model.predict_one("a free lunch prize"), model.classes_
    ('spam', ['ham', 'spam'])
    >>> {label: round(p, 2) for label, p in model.predict_proba_one("lunch at noon").items()}
    {'ham': 0.97, 'spam': 0.03}
    """

    rule: str = field(default="auto", init=False)
    output: str = field(default="last", init=False)
    multi_class: str = field(default="joint", init=False)
    tie: int = field(default=0, init=False)
    penalty: str | None = field(default=None, init=False)
    alpha: float = field(default=1e-4, init=False)
    l1_ratio: float = field(default=0.15, init=False)
    fit_intercept: bool = field(default=True, init=False)
    eta0: float = field(default=1.0, init=False)
    probabilities: bool = field(default=False, init=False)
    class_weight: ClassWeight = None
    max_features: int | None = None
