"""Data that algorithms build from a graph and keep with it for the next call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from minigr.errors import GraphError
from minigr.held import arrays_in, find_facts, with_arrays
from minigr.locks import free_in_children
from minigr.signatures import unknown

# A lock, so that only one thread builds an entry.
_building = free_in_children(threading.RLock())
_MADE_OF = {"reverse": "in_edges", "rows_to_search": "in_edges"}  # entries that share the arrays of another entry


class Kept:
    """The data that is kept with a graph, by name and for one version of the graph."""

    __slots__ = ("_found",)

    def __init__(self, found: dict[str, tuple[int, Any]] | None = None) -> None:
        self._found = {} if found is None else found

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()  # entries are not pickled, because algorithms build them again

    def get(
        self, name: str, version: int, make: Callable[[], Any], serves: Callable[[Any], bool] = lambda _: True
    ) -> Any:
        """Return the entry with this name for this version. Make it if it does not exist or `serves` rejects it."""
        with _building:
            found = self._found.get(name)
            if found is None or found[0] != version or not serves(found[1]):
                self._found.pop(name, None)  # free the old entry before the new one is made
                found = self._found[name] = version, make()
            return found[1]

    def take(self, name: str, version: int) -> Any:
        """Remove and return the entry with this name for this version, so that no other caller gets it; or None."""
        with _building:
            found = self._found.pop(name, None)
        return None if found is None or found[0] != version else found[1]

    def put(self, name: str, version: int, value: Any) -> None:
        """Keep an entry with this name for this version."""
        with _building:
            self._found[name] = version, value

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def peek(self, name: str) -> Any:
        """The entry with this name, for any version; None if there is none."""
        found = self._found.get(name)
        return None if found is None else found[1]

    def sizes(self, own: Any) -> dict[str, int]:
        """Bytes by name. Each array is counted once, and the arrays of `own`, the graph itself, are not counted."""
        counted, sizes = set(arrays_in(own)), {}
        with _building:
            for name, (_, value) in self._found.items():
                arrays = {key: array for key, array in arrays_in(value).items() if key not in counted}
                sizes[name] = sum(int(array.nbytes) for array in arrays.values())
                counted |= arrays.keys()
        return sizes

    def drop(self, names: tuple[str, ...]) -> None:
        """Drop the entries with these names, or all entries if there are no names."""
        drop_from([self], names)

    def _find_facts(self) -> None:
        """See `Graph._find_facts`."""
        for _, value in list(self._found.values()):
            find_facts(value)

    def _with_arrays(self, change: Callable[[Any], Any]) -> Kept:
        """See `minigr.held.with_arrays`."""
        found = [*self._found.items()]
        return type(self)({name: (version, with_arrays(value, change)) for name, (version, value) in found})


class KeptOfPart(Kept):
    """The data of one part of a directed graph, which can't make its in-edges without the other parts."""

    __slots__ = ()

    def get(self, name: str, version: int, make: Callable[[], Any], *others: Any) -> Any:
        """As `Kept.get`, but refuses to make in-edges."""

        def made() -> Any:
            if name == "in_edges":
                raise GraphError(
                    "a part can't make its in-edges alone, and they were dropped while a call used them: call drop() "
                    "after the call"
                )
            return make()

        return super().get(name, version, made, *others)


def drop_from(every: Sequence[Kept], names: tuple[str, ...]) -> None:
    """Drop the entries with these names, or all entries, from each `Kept` of `every`, which belong to one graph."""
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
