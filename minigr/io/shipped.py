"""The graphs that come with minigr; their sources and licences stand in ``minigr/data/README.md``."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "data"


def shipped_names() -> list[str]:
    """The names that `minigr.read` takes for a graph that comes with the package.

    Examples
    --------
    >>> shipped_names()
    ['roads', 'wordnet']
    """
    return sorted(path.stem for path in _FOLDER.glob("*.npz"))


def shipped(name: str) -> Path:
    """The file of the graph called `name` that comes with the package.

    Raises
    ------
    FileNotFoundError
        If there is none of that name; the message lists those there are.

    Examples
    --------
    >>> shipped("roads").name
    'roads.npz'
    """
    if name not in shipped_names():
        raise FileNotFoundError(f"no file and no shipped graph {name!r}; shipped are {', '.join(shipped_names())}")
    return _FOLDER / f"{name}.npz"
