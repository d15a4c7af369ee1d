"""Attacks: trials at random, minutes long, that look for hangs, crashes and wrong answers. See ``__main__``."""
