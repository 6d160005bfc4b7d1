"""Parsers of lines of JSON."""

from rosenblatt._core.names import ParsedRow

class ExampleParser:
    """See rosenblatt.engine.serving.examples."""

    def __init__(self, most_features: int, longest_word: int, largest: float) -> None: ...
    def parse(
        self, lines: list[bytes]
    ) -> list[tuple[ParsedRow, str | bool | int, float] | None]: ...
