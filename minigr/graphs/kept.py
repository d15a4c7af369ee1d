"""What algorithms make of a graph and keep with it, so that the next one need not make it again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from minigr.errors import GraphError
from minigr.held import arrays_in, find_facts, with_arrays
from minigr.locks import free_in_children
from minigr.signatures import unknown

# What is built on first use is built once, whichever thread asks first.
_building = free_in_children(threading.RLock())
_MADE_OF = {"reverse": "in_edges", "rows_to_search": "in_edges"}  # which share their arrays


class Kept:
    """What is kept with a graph, by name, for one version of it."""

    __slots__ = ("_found",)

    def __init__(self, found: dict[str, tuple[int, Any]] | None = None) -> None:
        self._found = {} if found is None else found

    def __reduce__(self) -> tuple[Any, ...]:
        return Kept, ()  # what is kept is not pickled; algorithms make it again

    def get(
        self, name: str, version: int, make: Callable[[], Any], serves: Callable[[Any], bool] = lambda _: True
    ) -> Any:
        """What is kept by this name for this version; made if it isn't there, or does not serve."""
        with _building:
            found = self._found.get(name)
            if found is None or found[0] != version or not serves(found[1]):
                self._found.pop(name, None)  # the old one need not be there while the new one is made
                found = self._found[name] = version, make()
            return found[1]

    def take(self, name: str, version: int) -> Any:
        """What is kept by this name for this version, and is no longer, so that no other gets it; None if not there."""
        with _building:
            found = self._found.pop(name, None)
        return None if found is None or found[0] != version else found[1]

    def put(self, name: str, version: int, value: Any) -> None:
        """Keep something by this name for this version."""
        with _building:
            self._found[name] = version, value

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def peek(self, name: str) -> Any:
        """What is kept by this name, of whatever version; None if it isn't there."""
        found = self._found.get(name)
        return None if found is None else found[1]

    def sizes(self, own: Any) -> dict[str, int]:
        """Bytes by name, each array once, without those of `own`: of the graph itself."""
        counted, sizes = set(arrays_in(own)), {}
        with _building:
            for name, (_, value) in self._found.items():
                arrays = {key: array for key, array in arrays_in(value).items() if key not in counted}
                sizes[name] = sum(int(array.nbytes) for array in arrays.values())
                counted |= arrays.keys()
        return sizes

    def drop(self, names: tuple[str, ...]) -> None:
        """Drop what is kept by these names, or all of it."""
        drop_from([self], names)

    def _find_facts(self) -> None:
        """See `Graph._find_facts`."""
        for _, value in list(self._found.values()):
            find_facts(value)

    def _with_arrays(self, change: Callable[[Any], Any]) -> Kept:
        """See `minigr.held.with_arrays`."""
        return Kept({name: (version, with_arrays(value, change)) for name, (version, value) in self._found.items()})


def drop_from(every: Sequence[Kept], names: tuple[str, ...]) -> None:
    """Drop what is kept by these names by any of `every`, which are one graph's, or all of it."""
    with _building:
        there = dict.fromkeys(name for kept in every for name in kept._found)
        for name in names:
            if name not in there:
                raise GraphError(f"the graph keeps no {name!r}; {unknown(name, there)}")
        for kept in every:
            kept._found = {
                name: found
                for name, found in kept._found.items()
                if names and name not in names and _MADE_OF.get(name) not in names
            }
