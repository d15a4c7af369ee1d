"""Attacks: random trials that take minutes and look for hangs, crashes and wrong answers. See ``__main__``."""
