"""``python -m rosenblatt`` is the command ``rosenblatt``."""

from __future__ import annotations

from rosenblatt.cli.main import main

if __name__ == "__main__":
    main()
