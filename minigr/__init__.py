"""minigr: graph programs in a few lines of Python."""
