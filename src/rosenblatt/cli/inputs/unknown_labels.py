"""Labels of DATA that are no classes of the model."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData

if TYPE_CHECKING:
    from rosenblatt.cli.display.confusion import ConfusionMatrix

_MAX_NAMES = 5  # labels in a message


def check_known_labels(source: str, confusion: ConfusionMatrix, quiet: bool) -> None:
    """Refuse data whose labels are all unknown to the model; print a note if some are.

    Parameters
    ----------
    source : str
        Name of DATA.
    confusion : ConfusionMatrix
        Counts of all rows.
    quiet : bool
        Whether to print no note.

    Raises
    ------
    BadData
        No row has a label of the model. The message has the nearest classes.
    """
    unseen = confusion.unseen
    if not unseen:
        return
    names = sorted(unseen, key=lambda name: (-unseen[name], name))
    descriptions = [_describe(name, unseen[name], confusion.classes) for name in names]
    shown = ", ".join(descriptions[:_MAX_NAMES])
    shown += f", and {len(names) - _MAX_NAMES:,} more" if len(names) > _MAX_NAMES else ""
    rows, classes = sum(unseen.values()), fmt.listing(confusion.classes)
    if rows == confusion.examples:
        raise BadData(
            f"{source}: no row has a label that the model knows. Its classes are {classes}; "
            f"found {shown}. Name the column of labels with --target, or rename the labels."
        )
    if not quiet:
        terminal.note(
            f"{source}: {fmt.count(rows, 'row')} of {confusion.examples:,} have labels that the "
            f"model does not know, and count as errors: {shown}."
        )


def nearest_class(label: str, classes: list[str]) -> str | None:
    """Return the class that is spelled most like a label; None if none is near.

    Numbers have no near spelling: -1 and 1 are different classes.

    Examples
    --------
    >>> nearest_class("<=50K.", ["<=50K", ">50K"]), nearest_class("Spam ", ["ham", "spam"])
    ('<=50K', 'spam')
    >>> nearest_class("-1", ["0", "1"]) is None
    True
    """
    if _is_number(label):
        return None
    by_spelling = {name.strip().lower(): name for name in reversed(classes)}
    close = get_close_matches(label.strip().lower(), by_spelling, 1)
    return by_spelling[close[0]] if close else None


def _describe(label: str, rows: int, classes: list[str]) -> str:
    nearest = nearest_class(label, classes)
    question = "" if nearest is None else f"; did you mean {nearest!r}?"
    return f"{label!r} ({fmt.count(rows, 'row')}{question})"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
