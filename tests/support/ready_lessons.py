"""The lessons that come with the lecture page."""

LESSONS = {
    "proof": 14,
    "lecture25": 14,
    "online": 13,
    "kernels": 13,
    "ece146": 14,
    "notebook": 11,
    "beyond": 11,
}
"""Each with the number of its states."""
