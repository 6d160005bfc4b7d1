"""The internal interface is the only access to a learner's private members."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from rosenblatt import KernelPerceptron, LMSRegressor, Perceptron
from rosenblatt.learning import interface
from rosenblatt.learning.base import BaseLearner
from rosenblatt.learning.kernel.classifier import KernelClassifier
from rosenblatt.learning.linear.classifier import LinearClassifier

ROOT = Path(rosenblatt.__file__).parent
LEARNERS = {
    "learning/base.py",
    "learning/classifier.py",
    "learning/explain.py",
    "learning/interface.py",
    "learning/linear/base.py",
    "learning/linear/classifier.py",
    "learning/linear/learners.py",
    "learning/linear/shards.py",
    "learning/kernel/classifier.py",
    "learning/kernel/learners.py",
}
X, Y = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [-1.0, 0.5]]), np.array([0, 1, 0, 1])


def private_members():
    """Names of the private methods and fitted attributes of all learners."""
    classes = [*KernelClassifier.__mro__, *LinearClassifier.__mro__]
    names = {
        name
        for cls in classes
        if cls.__module__.startswith("rosenblatt.")
        for name in [*vars(cls), *vars(cls).get("__annotations__", {})]
    }
    names |= vars(Perceptron().fit(X, Y)).keys() | vars(KernelPerceptron().fit(X, Y)).keys()
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


FILES = [path for path in sorted(ROOT.rglob("*.py")) if str(path.relative_to(ROOT)) not in LEARNERS]


def test_no_other_module_uses_a_private_member_of_a_learner():
    private, uses = private_members(), []
    assert {"_state", "_dual", "_norm", "_rule", "_coef"} <= private
    of_models = {"model", "learner", "estimator", "a", "b"}
    member = re.compile(rf"\.({'|'.join(sorted(private))})\b")
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        if not member.search(text):
            continue
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in private:
                owner = ast.unparse(node.value)
                if owner.rsplit(".", 1)[-1] in of_models or owner == "self._fitted()":
                    uses.append(f"{path.relative_to(ROOT)}:{node.lineno} {owner}.{node.attr}")
    assert uses == []


def test_a_learned_model_can_be_restored():
    for model in (
        Perceptron(expansion=True).fit(X, Y),
        KernelPerceptron().fit(X, Y),
        LMSRegressor().fit(X, Y),
    ):
        copy = type(model)(**model.get_params())
        for name in ("classes_", "n_features_in_"):
            if hasattr(model, name):
                setattr(copy, name, getattr(model, name))
        if isinstance(model, KernelPerceptron):
            interface.restore_kernel(copy, model.gamma_, X.dtype)
        interface.restore(copy, interface.learned(model))
        assert interface.norm(copy) == interface.norm(model)
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))


def test_norms_of_weight_vectors():
    linear, kernel = Perceptron().fit(X, Y), KernelPerceptron("linear").fit(X, Y)
    for model in (linear, kernel):
        assert interface.n_vectors(model) == 1
        assert interface.vector_norms(model) == pytest.approx([interface.norm(model)])
    assert interface.weight_products(kernel, kernel) == pytest.approx(interface.norm(kernel) ** 2)


def test_a_truncated_copy_leaves_the_model_unchanged():
    model = Perceptron().fit(X, Y)
    narrow = interface.truncated(model, 1)
    assert (narrow.coef_.shape, model.coef_.shape) == ((1, 1), (1, 2))
    np.testing.assert_array_equal(narrow.coef_, model.coef_[:, :1])
    interface.widen(model, 5)
    assert model.coef_.shape == (1, 5)


def test_every_learner_sets_up_its_fit():
    for cls in (Perceptron, KernelPerceptron, LMSRegressor):
        assert issubclass(cls, BaseLearner)
        assert cls._set_up is not BaseLearner._set_up
        assert cls._fit is BaseLearner._fit
