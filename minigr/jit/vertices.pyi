# What type checkers see of the primitive: the arguments that kernels pass.
from typing import Any

def vertex_at(vertices: Any, position: Any) -> Any: ...
