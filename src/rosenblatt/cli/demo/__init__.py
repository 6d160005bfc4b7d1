"""Tour of ``rosenblatt demo``: computations and screens."""
