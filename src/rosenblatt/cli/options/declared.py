"""Options and arguments that the fields of a class declare, and the command that takes them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import click
from click.core import ParameterSource

from rosenblatt.cli.display import page, terminal

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMAND_PANELS = ("Start", "Learn and predict", "Models and data", "Proofs", "Service")
"""Panels of subcommands, in the order of the help page."""

PANELS = (
    *("Arguments", "Options", "Question", "Prediction", "Learning"),
    *("Kernel", "Unattended", "Cluster", "Output", "Reading"),
)
"""Panels of arguments and options, in the order of the help pages."""

HELP_NAMES = ["-h", "--help"]


class FiniteRange(click.FloatRange):
    """A number within a range; NaN and infinity are none, which click lets pass.

    Examples
    --------
    >>> FiniteRange(min=0.0).convert("0.5", None, None)
    0.5
    """

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number of a text."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


FILES = dict.fromkeys(("DATA", "FILE", "MODEL", "MODEL1", "MODEL2", "OUT", "PROOF"), "file")
FILES |= dict.fromkeys(("DIR", "STORE"), "dir")
"""What the shell completes a value of this name with."""


class FileName(click.types.StringParamType):
    """A file or folder, which the shell completes; any text is one.

    Parameters
    ----------
    kind : str
        ``"file"`` or ``"dir"``.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return what lets the shell list its files."""
        from click.shell_completion import CompletionItem  # only a shell that completes has it

        return [CompletionItem(incomplete, type=self.kind)]


def type_of_file(metavar: str) -> FileName | None:
    """Return the type of a value of this name, if it is a file or folder."""
    kind = FILES.get(metavar.strip("[]"))
    return FileName(kind) if kind else None


class Option(click.Option):
    """An option whose value is a field of :class:`Options`."""

    panel = ""
    shown_default: object = None

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


class Argument(click.Argument):
    """An argument with a help text, whose value is a field of :class:`Options`."""

    panel = "Arguments"

    def __init__(self, metavar: str, help: str, **settings: Any) -> None:
        super().__init__([metavar.strip("[]…").lower()], metavar=metavar, **settings)
        self.help = help

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return the name as messages have it: brackets are for the usage line."""
        return f"'{str(self.metavar).strip('[]…')}'"


def option(
    words: str,
    help: str,
    type: Any = None,
    *,
    default: Any = None,
    panel: str = "",
    **settings: Any,
) -> Any:
    """Declare an option as a field of :class:`Options`.

    Parameters
    ----------
    words : str
        As on the help page, such as ``"-m --model FILE"``; without a value it is a flag, or two:
        ``"--header/--no-header"``. ``"[N]"`` is a value that may be left out; two words after
        the name are two values.
    help : str
    type : tuple of str, callable or click.ParamType, optional
        The choices, a function from the text to the value, or a type of click. Default: any text.
    default : object, optional
    panel : str, optional
        One of :data:`PANELS`. Default: that of the class.
    **settings : object
        Further parameters of ``click.Option``.
    """
    names = [word for word in words.split() if re.match("--?[a-z]", word)]
    values, shown = words.split()[len(names) :], default
    if not values:
        settings["is_flag"] = True
        shown = names[0].partition("/")[0].lstrip("-") if default else default
    else:
        settings |= {"metavar": " ".join(values), "nargs": len(values)}
        type = type or type_of_file(settings["metavar"])
    if settings.get("metavar", "").startswith("["):
        settings["is_flag"] = False
    if default is not None or "/" in words:
        settings["default"] = default
    choices = click.Choice(type) if isinstance(type, tuple) else type
    one = Option(names, help=help, type=choices, **settings)
    one.panel, one.shown_default = panel, shown
    return one


def argument(metavar: str, help: str, type: object = None, **settings: object) -> Any:
    """Declare an argument as a field of :class:`Options`; one in brackets may be left out."""
    choices = click.Choice(type) if isinstance(type, tuple) else type or type_of_file(metavar)
    return Argument(metavar, help, type=choices, required=metavar[0] != "[", **settings)


class Options:
    """Values of the options and arguments of a command.

    A subclass declares them as its fields. The order of its bases, the last first, is that of the
    help page.

    Parameters
    ----------
    **values : object
        A value for each field.
    """

    declared: ClassVar[dict[str, Option | Argument]] = {}
    on_command_line: frozenset[str] = frozenset()
    """Names of the fields that the command line has."""

    def __init_subclass__(cls, panel: str = "Options") -> None:
        cls.declared = {}
        for base in reversed(cls.__mro__):
            for name, value in vars(base).items():
                if isinstance(value, Option | Argument):
                    value.panel = value.panel or panel
                    cls.declared[name] = value

    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)

    def arguments_of(self, name: str) -> list[str]:
        """Return the words of a command line that give an option its value."""
        one, value = self.declared[name], getattr(self, name)
        if isinstance(value, bool):
            return [one.opts[0] if value else one.secondary_opts[0]]
        if isinstance(value, dict):
            value = json.dumps(value, ensure_ascii=False)
        values = value if isinstance(value, tuple) else (value,)
        return [word for text in values for word in (one.opts[0], str(text))]

    def replaced(self, **values: object) -> Self:
        """Return a copy with other values."""
        other = copy(self)
        other.__dict__.update(values)
        return other


O = TypeVar("O", bound=Options)  # noqa: E741


class Command(click.Command):
    """A subcommand that refuses an option of one value that is given with two.

    Parameters
    ----------
    function : callable
        Function of the options; its docstring is the help text.
    options : type
        The class that declares them.
    panel : str
        One of :data:`COMMAND_PANELS`.
    rank : int
        Place within the panel, from 1.

    Attributes
    ----------
    example : str
        The first one of the docstring: a command line, and what it is for in a few words.
    """

    def __init__(
        self,
        function: Callable[[Any], None],
        options: type[Options],
        panel: str,
        rank: int,
    ) -> None:
        params: list[click.Parameter] = list(options.declared.values())
        params.sort(key=lambda param: not isinstance(param, Argument))
        super().__init__(
            function.__name__,
            params=params,
            callback=function,
            help=function.__doc__,
        )
        self.options, self.panel, self.rank = options, panel, rank
        examples = filter(page.is_example, page.paragraphs(self.help or ""))
        lines = next(examples, "").splitlines()[1:2]  # none under -OO: there are no docstrings
        self.example = "".join(lines).strip()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments twice: first to collect all values of each option."""
        if ctx.resilient_parsing:  # the shell completes a command line
            return super().parse_args(ctx, args)
        if not args and any(
            isinstance(param, Argument) and param.required for param in self.params
        ):
            show_help(ctx)
        parser = click.Command(None).make_parser(ctx)
        single: list[click.Option] = []
        for param in map(copy, self.get_params(ctx)):
            if isinstance(param, click.Option) and not (param.multiple or param.count):
                param.multiple = True
                single.append(param)
            param.add_to_parser(parser, ctx)
        values, _, _ = parser.parse_args(list(args))
        for one in single:
            distinct = list(dict.fromkeys(values.get(one.name, ())))
            if len(distinct) > 1:
                raise click.UsageError(_refuse_two(one, *distinct[:2]), ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Call the function with the options."""
        options = self.options(**ctx.params)
        options.on_command_line = frozenset(
            name
            for name in ctx.params
            if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        )
        if getattr(options, "quiet", False):
            terminal.log_as_notes(quiet=True)
        try:
            return ctx.invoke(self.callback, options)  # type: ignore[arg-type]
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def get_help(self, ctx: click.Context) -> str:
        """Return the help page."""
        panels = {
            title: [entry(param) for param in params] for title, params in self.panels(ctx).items()
        }
        return page.draw(ctx, self.help or "", panels)

    def panels(self, ctx: click.Context) -> dict[str, list[click.Parameter]]:
        """Return the arguments and options of each panel, in the order of the help page."""
        panels: dict[str, list[click.Parameter]] = {panel: [] for panel in PANELS}
        for param in self.get_params(ctx):
            if not getattr(param, "hidden", False):
                panels[getattr(param, "panel", "Options")].append(param)
        return {title: params for title, params in panels.items() if params}


def command(options: type[O], panel: str, rank: int) -> Callable[[Callable[[O], None]], Command]:
    """Return a decorator that makes a function of its options a :class:`Command`."""
    return lambda function: Command(function, options, panel, rank)


def entry(param: click.Parameter) -> page.Entry:
    """Return the names, the value and the help of an option or argument, with its default."""
    value, text = param.metavar or "", getattr(param, "help", None) or ""
    if not isinstance(param, click.Option):
        return page.Entry(value, "", text)
    names = "/".join([", ".join(param.opts), *param.secondary_opts])
    default = getattr(param, "shown_default", None)
    if default is not None:
        words = ", ".join(default) if isinstance(default, tuple) else default
        text += f" [default:\N{NO-BREAK SPACE}{words}]"
    return page.Entry(names, value, text)


def show_help(ctx: click.Context) -> None:
    """Print the help page in place of an error; the exit status is that of an error of usage."""
    click.echo(ctx.get_help(), color=ctx.color)
    ctx.exit(2)


def _refuse_two(option: click.Option, first: object, second: object) -> str:
    name = max(option.opts, key=len)
    if isinstance(first, bool):
        return f"{name} and {max(option.secondary_opts, key=len)} exclude each other: give one."
    shown = (_spell(value) for value in (first, second))
    return f"{name} takes one value, got {' and '.join(shown)}: give one."


def _spell(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(value)
    return value if isinstance(value, str) else "none"  # of an option whose value may be left out
