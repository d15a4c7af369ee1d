"""Programs over a graph in parts: what must travel after each operator, and the loop that has it travel."""
