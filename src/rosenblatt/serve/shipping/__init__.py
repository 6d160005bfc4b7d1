"""The log beside the machine: segments and bases at a target, restores, standbys, fences."""
