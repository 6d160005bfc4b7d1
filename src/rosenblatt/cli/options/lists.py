"""Options that take several numbers: a list with commas, the option repeated, or both."""

from __future__ import annotations

from typing import Any

import click

from rosenblatt.cli.options.declared import Option, Options


class Numbers(click.ParamType):  # type: ignore[type-arg] # generic from click 8.4 on
    """Numbers with commas between them, each of a type of click.

    Examples
    --------
    >>> Numbers(click.FloatRange(min=0.0)).convert("0.1, 1", None, None)
    (0.1, 1.0)
    """

    name = "numbers"

    def __init__(self, of: click.ParamType[Any]) -> None:
        self.of = of

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Any, ...]:
        """Return the numbers of a text."""
        if isinstance(value, tuple):
            return value
        words = [word.strip() for word in value.split(",")]
        if "" in words:
            self.fail(f"{value!r} has no number before or after a comma.", param, ctx)
        return tuple(self.of.convert(word, param, ctx) for word in words)


class ListOption(Option):
    """An option whose value is a tuple of numbers, each once; empty if it is not given."""

    def type_cast_value(self, ctx: click.Context, value: object) -> tuple[Any, ...]:
        """Return the numbers of all occurrences."""
        parts = super().type_cast_value(ctx, value) or ()
        return tuple(dict.fromkeys(number for part in parts for number in part))


def listed(one: Any, help: str | None = None) -> Any:
    """Declare an option of a number, of other options, so that it takes several.

    Parameters
    ----------
    one : Option
    help : str, optional
        By default that of the option, and that a list is compared.
    """
    text = f"{one.help} A list, as 0.1,1,10, compares them." if help is None else help
    several = ListOption(
        [*one.opts], metavar=f"{one.metavar},…", help=text, type=Numbers(one.type), multiple=True
    )
    several.panel, several.shown_default = one.panel, one.shown_default
    return several


def default_of(name: str, options: Options) -> Any:
    """Return the number that stands for an empty list."""
    return getattr(options.declared[name], "shown_default", None)
