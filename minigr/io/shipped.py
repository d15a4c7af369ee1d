"""The graphs that come with minigr. Their sources and licences are in ``minigr/data/README.md``."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "data"


def shipped_names() -> list[str]:
    """The names of the graphs that come with the package, as accepted by `minigr.read`.

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
        If no graph has this name. The message lists the names of all graphs.

    Examples
    --------
    >>> shipped("roads").name
    'roads.npz'
    """
    if name not in shipped_names():
        raise FileNotFoundError(
            f"no file and no shipped graph {name!r}; the shipped graphs are {', '.join(shipped_names())}"
        )
    return _FOLDER / f"{name}.npz"
