"""Constants that the kernels for CPUs, the kernels for GPUs and their callers share."""

WORD = 64
"""The number of sources of a search with a bit for each source: the bits of a word."""

LEVELS = 15
"""The number of levels that the four bits of a source at a vertex can tell apart."""

TOTAL = 128.0
"""The weight of a hop in a sum of hops and of reached vertices. A unit adds at most `WORD` reached vertices."""

MOST_PATHS = 1e290
"""With more shortest paths than this, the inverses of their numbers would lose digits. Far below the float64 limit."""

TOO_MANY_PATHS, LOST_WEIGHT = 1, 2
"""Flags of a graph: more than `MOST_PATHS` paths, or a weight that is lost when added to a much larger distance."""

WARPS = 4
"""The number of teams in a block of a GPU, if teams are warps."""


def cuda_constants() -> str:
    """The constants for CUDA."""
    whole = {"LEVELS": LEVELS, "TOO_MANY_PATHS": TOO_MANY_PATHS, "LOST_WEIGHT": LOST_WEIGHT, "TEAMS_OF_A_BLOCK": WARPS}
    lines = [f"constexpr int {name} = {value};" for name, value in whole.items()]
    lines += [f"constexpr double {name} = {value!r};" for name, value in (("TOTAL", TOTAL), ("MOST_PATHS", MOST_PATHS))]
    return "\n".join(lines)
