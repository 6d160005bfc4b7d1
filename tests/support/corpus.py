"""Cases that random searches keep, a line of JSON each: what was false, and the first of each kind.

Tests replay them, whatever the searches draw later. A search that runs as a command writes a case
that shows something new.
"""

import json
from pathlib import Path

FOLDER = Path(__file__).with_name("corpus")


def read(name):
    """The cases of a search; ``shows`` says why each is kept."""
    path = FOLDER / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


class Corpus:
    """The cases of a search, to which new ones are written."""

    def __init__(self, name):
        self.path = FOLDER / f"{name}.jsonl"
        self.shown = {text for case in read(name) for text in case["shows"]}

    def keep(self, shows, case):
        """Write a case that shows something which no other does."""
        if new := [text for text in shows if text not in self.shown]:
            self.shown.update(new)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"shows": new} | case, ensure_ascii=False) + "\n")
