"""The facts about the backend that NetworkX reads on import (entry point `networkx.backend_info`)."""

from __future__ import annotations

from typing import Any

from minigr.networkx.functions import FUNCTIONS


def backend_info() -> dict[str, Any]:
    """The backend's name and functions, in the form that NetworkX expects."""
    return {
        "backend_name": "minigr",
        "project": "minigr",
        "package": "minigr",
        "short_summary": "Kernels on CPU and NVIDIA GPU, by minigr.",
        "functions": {name: {"additional_docs": function.note} for name, function in FUNCTIONS.items()},
    }
