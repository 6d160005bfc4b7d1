"""The example with which the lecture page begins, and the textbook's run on it."""

from rosenblatt import textbook

EIGHT = [[-4, -1], [2, 1], [4, -4], [5, 2], [-5, 1], [1, -4], [-3, -4], [5, -2]]
LABELS = [1, 1, -1, 1, 1, -1, -1, -1]
RUN = textbook.perceptron(EIGHT, LABELS)
