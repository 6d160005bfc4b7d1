"""Tour of ``rosenblatt demo``."""
