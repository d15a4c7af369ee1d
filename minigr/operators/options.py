"""The values that options of operators may have, for type checkers and for completion in editors."""

from typing import Literal

Balance = Literal["auto", "thread", "tile", "warp", "block", "merge"]
Direction = Literal["push", "pull", "auto"]
Output = Literal["vertices", "edges"]
Reduction = Literal["add", "min", "max", "or"]
