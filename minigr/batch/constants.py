"""Numbers that the kernels for CPUs and for GPUs, and those who call them, have in common."""

WORD = 64
"""From how many vertices a search with a bit for each begins: those of a word."""

LEVELS = 15
"""How many levels of a search are told apart by the four bits that one source has at a vertex."""

TOTAL = 128.0
"""What a hop counts for beside a vertex that is reached, of which a unit has no more than `WORD`, in a sum of both."""

MOST_PATHS = 1e290
"""More shortest paths than this, and their inverses would lose digits; far below where float64 ends."""

TOO_MANY_PATHS, LOST_WEIGHT = 1, 2
"""Flags of a graph: it has more than `MOST_PATHS`, or a weight that the distance it is added to swallows."""

WARPS = 4
"""Of a GPU's block whose teams are warps."""


def cuda_constants() -> str:
    """The same for CUDA."""
    whole = {"LEVELS": LEVELS, "TOO_MANY_PATHS": TOO_MANY_PATHS, "LOST_WEIGHT": LOST_WEIGHT, "TEAMS_OF_A_BLOCK": WARPS}
    lines = [f"constexpr int {name} = {value};" for name, value in whole.items()]
    lines += [f"constexpr double {name} = {value!r};" for name, value in (("TOTAL", TOTAL), ("MOST_PATHS", MOST_PATHS))]
    return "\n".join(lines)
