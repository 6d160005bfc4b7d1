"""The command ``rosenblatt``."""
