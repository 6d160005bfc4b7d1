"""The lecture page: a class sees the perceptron think."""
