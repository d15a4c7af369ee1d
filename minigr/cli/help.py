"""The end of every ``--help``."""

from __future__ import annotations


def examples(*lines: str) -> str:
    """An epilog with these command lines as examples."""
    return "\b\nExamples:\n" + "\n".join(f"  minigr {line}" for line in lines)
