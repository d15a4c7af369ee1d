"""The values that operators' options may have: for type checkers, for completion in editors, and for checks."""

from typing import Any, Literal, get_args

from minigr.schedules.choice import BALANCES as BALANCES
from minigr.schedules.choice import Balance as Balance

Direction = Literal["push", "pull", "auto"]
Duplicates = Literal["remove", "impossible", "keep"]
EdgeReduction = Literal["add", "min", "max", "or", "argmin", "argmax"]
Listed = Literal["edges", "pairs"]
Output = Literal["vertices", "edges"]
Place = Literal["vertex", "position"]
Reduction = Literal["add", "min", "max", "or"]
Repeated = Literal["keep", "remove", "cull"]
Since = Literal["mark"]
Vertices = Literal["vertices"]
Way = Literal["out", "in"]

DIRECTIONS: tuple[Any, ...] = get_args(Direction)
DUPLICATES: tuple[Any, ...] = get_args(Duplicates)
OUTPUTS: tuple[Any, ...] = (*get_args(Output), None)
PLACES: tuple[Any, ...] = get_args(Place)
REPEATED: tuple[Any, ...] = get_args(Repeated)
WAYS: tuple[Any, ...] = get_args(Way)
