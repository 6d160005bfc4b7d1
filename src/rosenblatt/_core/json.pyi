"""Parsers of lines of JSON."""

from rosenblatt._core.names import Block

class LineParser:
    """See rosenblatt.engine.json.lines."""

    def __init__(self, target: str | None, labelled: bool) -> None: ...
    def parse(self, text: bytes) -> Block | None: ...

class ExampleParser:
    """See rosenblatt.engine.serving.examples."""

    def __init__(self, most_features: int, longest_word: int, largest: float) -> None: ...
    def parse(self, lines: list[bytes]) -> tuple[Block, list[int]]: ...
