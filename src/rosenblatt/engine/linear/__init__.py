"""The linear loops: one epoch, and several in one call."""
