"""Linear classifiers that are presets of Perceptron, as the Perceptron that they are."""

from __future__ import annotations

from rosenblatt.learning import interface
from rosenblatt.learning.linear.learners import (
    Adaline,
    Classifier,
    PassiveAggressiveClassifier,
    Perceptron,
)


def as_perceptron(learner: object) -> Perceptron:
    """Return a Perceptron that predicts and learns on as a linear classifier does, bit for bit.

    Parameters
    ----------
    learner : classifier of the linear module, fitted
        A Perceptron is returned itself; of the others the arrays are shared, not copied.

    Raises
    ------
    ValueError
        No Perceptron learns so: the learner has another kind of model, or is a
        PassiveAggressiveClassifier with an intercept, whose steps leave the intercept out of ‖x‖².

    Examples
    --------
    >>> from rosenblatt.learning.linear.learners import AveragedPerceptron
    >>> model = AveragedPerceptron().fit([[1.0], [-1.0]], ["a", "b"])
    >>> as_perceptron(model).output, as_perceptron(model).predict([[2.0]]).tolist()
    ('average', ['a'])
    """
    if type(learner) is Perceptron:
        return learner
    if not isinstance(learner, Perceptron | Classifier | Adaline | PassiveAggressiveClassifier):
        raise ValueError(
            "it is no linear classifier: those are Perceptron, AveragedPerceptron, Classifier, "
            "Adaline and PassiveAggressiveClassifier."
        )
    names = (name for name in Perceptron._get_param_names() if hasattr(learner, name))
    params = {name: getattr(learner, name) for name in names}
    if isinstance(learner, PassiveAggressiveClassifier):
        if learner.fit_intercept:
            raise ValueError(
                "its steps leave the intercept out of the norm of the row, which no Perceptron "
                "does: train a Perceptron with the rule pa1 or pa2, or with fit_intercept=False."
            )
        params["rule"] = interface.rule(learner)
    perceptron = Perceptron(**params)
    interface.restore(perceptron, interface.learned(learner))
    interface.take_decisions(perceptron, learner)
    fitted = {name: value for name, value in vars(learner).items() if name.endswith("_")}
    vars(perceptron).update(fitted)
    return perceptron
