"""Model files: save, load, describe and compare."""

from rosenblatt.learning.models.comparison import Comparison, compare
from rosenblatt.learning.models.files import ModelError, describe, load, save

__all__ = ["Comparison", "ModelError", "compare", "describe", "load", "save"]
