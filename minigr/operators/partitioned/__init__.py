"""Programs over a graph in parts: the data that parts exchange after each operator, and the loop with the exchanges."""
