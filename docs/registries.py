"""Tables and lists of rules, kernels and budget schemes, from what these declare.

A page has a line ``<!-- registry: NAME -->`` where the site has the part of this name, and
``reference/rules.rst`` is written as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from rosenblatt.theory import budgets, kernels, rules
from rosenblatt.theory.declaration import KINDS, RuleDeclaration

PAGE = Path(__file__).resolve().parent / "reference" / "rules.rst"
MARK = re.compile(r"^<!-- registry: (.+) -->$", re.M)
MOVES = {
    "plain": "step τ",
    "confident": "rate of a weight",
    "weightwise": "a weight is",
    "rescaling": "w becomes",
    "choosing": "step τ of the row with the least y s",
    "blended": "a step is",
}
SECTIONS = {
    "plain": ("Rules", "Rule"),
    "confident": ("Rules with a confidence for each weight", "ConfidenceRule"),
    "full": ("Rules with a covariance matrix", ""),
    "weightwise": ("Rules with numbers of their own for each weight", "WeightwiseRule"),
    "rescaling": ("Rules that rescale the weights", "RescalingRule"),
    "choosing": ("Rules that choose their row", "ChoosingRule"),
    "blended": ("Rules that blend learners", ""),
}
LETTERS = {"eta": "η", "alpha": "α", "mu": "μ", "lam": "λ"}


def of_kind(kind: str) -> list[RuleDeclaration]:
    """Return what the rules of a kind declare."""
    return [rule for rule in rules.DECLARATIONS.values() if rule.kind == kind]


def code(names: Iterable[str]) -> str:
    """Return names as they are written in a call."""
    return ", ".join(f'`"{name}"`' for name in names)


def table(heads: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """Return a table of Markdown, with | in a cell as such."""
    rows = [[cell.replace("|", r"\|") for cell in row] for row in (heads, *lines)]
    rows.insert(1, ["---"] * len(rows[0]))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def rules_of(kind: str) -> str:
    """Return the table of the rules of a kind."""
    lines = ([code([rule.name]), rule.updates, rule.step, rule.use] for rule in of_kind(kind))
    return table(("`rule=`", "updates", MOVES[kind], "try it for"), lines)


def weights() -> str:
    """Return the table of what the weight h of an example does."""
    groups: dict[tuple[str, str], list[str]] = {}
    for rule in rules.DECLARATIONS.values():
        if rule.weight:
            groups.setdefault((rule.weight, rule.twice), []).append(rule.name)
    lines = ([code(names), *texts] for texts, names in groups.items())
    return table(("rule", "an example of weight h", "h = 2 is the example twice"), lines)


def rates() -> str:
    """Return the table of the numbers that ``eta0`` sets."""
    groups: dict[str, list[str]] = {}
    for rule in rules.DECLARATIONS.values():
        groups.setdefault(LETTERS.get(rule.rate, rule.rate) or "nothing", []).append(rule.name)
    return table(("`eta0` sets", "of"), ([rate, code(names)] for rate, names in groups.items()))


def kernel_table() -> str:
    """Return the table of the kernels."""
    return table(
        ("`kernel=`", "k(x, x')", "parameters"),
        (
            [
                code([cls.declaration.name, *cls.declaration.aliases]),
                cls.declaration.formula,
                ", ".join(f"`{item.name}`" for item in fields(cls)),
            ]
            for cls in kernels.KERNELS.values()
        ),
    )


def scheme_table() -> str:
    """Return the table of the budget schemes, each with the first sentence of its docstring."""
    return table(
        ("`budget_scheme=`", "a row that moves w when the budget is full", "for"),
        (
            [
                code([name]),
                (cls.__doc__ or "").splitlines()[0].removesuffix("."),
                "the perceptron rule" if cls.declaration.of_perceptron else "any rule",
            ]
            for name, cls in budgets.SCHEMES.items()
        ),
    )


PARTS: dict[str, Callable[[], str]] = {
    **{f"rules, {kind}": lambda kind=kind: rules_of(kind) for kind in MOVES},  # type: ignore[misc]
    "rules, full": lambda: code(rule.name for rule in of_kind("full")),
    "rules, eta0": rates,
    "rules, weights": weights,
    "kernels": kernel_table,
    "budgets": scheme_table,
}


def filled(text: str) -> str:
    """Return a page with its parts in the places of their lines."""
    return MARK.sub(lambda mark: PARTS[mark[1]](), text)


def fill(_app: Any, _name: str, source: list[str]) -> None:
    """Put the parts into a page that Sphinx reads."""
    source[0] = filled(source[0])


def listed(module: str, names: Iterable[str]) -> list[str]:
    """Return the lines that list public names of a module."""
    head = [f".. currentmodule:: {module}", ".. autosummary::", "   :toctree: ../api", ""]
    return [*head, *(f"   {name}" for name in names if name), ""]


def titled(title: str, line: str = "-") -> list[str]:
    """Return the lines of a title."""
    return [title, line * len(title), ""]


def reference() -> str:
    """Return the page of the reference."""
    lines = [*titled("Rules and kernels", "="), ".. automodule:: rosenblatt.rules", ""]
    for kind in KINDS:
        title, interface = SECTIONS[kind]
        names = [cls.__name__ for cls in rules.RULES.values() if cls.declaration.kind == kind]
        more = ["by_name", "complete"] if kind == "plain" else []
        lines += titled(title) + listed("rosenblatt.rules", [interface, *names, *more])
    names = [cls.__name__ for cls in kernels.KERNELS.values()]
    lines += [*titled("Kernels"), ".. automodule:: rosenblatt.kernels", ""]
    lines += listed("rosenblatt.kernels", ["Kernel", *names, "by_name", "is_positive_definite"])
    declared = ["RuleDeclaration", "Field", "KernelDeclaration", "BudgetDeclaration"]
    lines += titled("What they declare") + listed("rosenblatt.theory.declaration", declared)
    return "\n".join(lines)


def write() -> None:
    """Write the page of the reference, unless it is unchanged."""
    text = reference()
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        PAGE.write_text(text, encoding="utf-8")
