"""The compiled core."""

from typing import Final

instruction_set: Final[str]
"""The instruction set in use: "baseline", "avx2" or "avx512" (environment: ROSENBLATT_CPU)."""

instruction_sets: Final[tuple[str, ...]]
"""The sets that this build and this processor have, the widest last."""
