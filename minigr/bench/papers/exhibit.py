"""Exhibits: the tables and figures of a paper, and how each is measured with minigr.

An exhibit calls the functions of the other benches with the parameters of the paper. It has no clock of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import minigr as mg
from minigr.bench.document import Row, graph_facts
from minigr.bench.measure import Tell, ignore
from minigr.device import Device
from minigr.errors import GraphError

EDGE_FACTOR = 16
"""The number of edges that are drawn for each vertex of a synthetic graph."""
_MOST_WEIGHT = 255


def default_scale(device: Device) -> int:
    """The default scale, with which all exhibits of a paper take minutes."""
    return 20 if device.is_cuda else 14


@dataclass(frozen=True)
class Given:
    """A graph, or a set of graphs, that the user gave.

    Attributes
    ----------
    name : str
        The name of the graph in rows.
    path : str
        A file, a folder, or the name of a graph that comes with minigr.
    load : callable
        Reads the graph onto the device of the case.
    """

    name: str
    path: str
    load: Callable[[], Any]


@dataclass
class Case:
    """The settings of a run: the graphs that its exhibits are measured on, and how.

    Attributes
    ----------
    device : Device
    repeat : int
        Samples of each call.
    scale : int or None
        Synthetic graphs have ``2**scale`` vertices. None: there are no synthetic graphs.
    given : sequence of Given
    tell : callable
    facts : dict
        What the document says about each graph that was measured, by the graph's name.
    """

    device: Device
    repeat: int
    scale: int | None
    given: Sequence[Given] = ()
    tell: Tell = ignore
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    _graphs: dict[str, Any] = field(default_factory=dict)

    def graphs(self) -> Iterator[tuple[str, Any]]:
        """Each graph with its name: the given graphs, then an R-MAT and a uniform graph, both undirected and weighted.

        A graph is read or made once for all exhibits.
        """
        yield from self.given_graphs()
        if self.scale is not None:
            options: dict[str, Any] = {"weights": (1, _MOST_WEIGHT), "device": self.device}
            vertices = 1 << self.scale
            yield self._made(f"rmat-{self.scale}", partial(mg.generate.rmat, self.scale, EDGE_FACTOR, **options))
            uniform = partial(mg.generate.uniform, vertices, EDGE_FACTOR * vertices, **options)
            yield self._made(f"uniform-{self.scale}", uniform)

    def given_graphs(self) -> Iterator[tuple[str, Any]]:
        """Each given graph with its name."""
        for each in self.given:
            yield self._made(each.name, each.load)

    def _made(self, name: str, make: Callable[[], Any]) -> tuple[str, Any]:
        if name not in self._graphs:
            self.tell(f"{name}: making the graph")
            self._graphs[name] = make()
        self.facts.setdefault(name, graph_facts(name, self._graphs[name]))
        return name, self._graphs[name]


@dataclass(frozen=True)
class Exhibit:
    """A table or a figure of a paper.

    Attributes
    ----------
    name : str
        For example ``"table-2"`` or ``"figure-3"``.
    title : str
        For example ``"Table II: batched edge insertion"``.
    answer : str
        What is measured in minigr.
    bench : str
        The bench whose tables show the rows, for example ``"dynamic"``.
    measure : callable
        ``Case -> rows``. It returns no rows if the graphs lack what the exhibit needs.
    needs : str
        What a graph must have, for example ``"edge weights"``; empty if every graph fits.
    """

    name: str
    title: str
    answer: str
    bench: str
    measure: Callable[[Case], Sequence[Row]]
    needs: str = ""


@dataclass(frozen=True)
class Paper:
    """A paper and its exhibits.

    Attributes
    ----------
    name : str
        The name of the paper's system on the command line.
    title : str
        Authors, title, place and year.
    exhibits : tuple of Exhibit
    """

    name: str
    title: str
    exhibits: tuple[Exhibit, ...]

    def chosen(self, names: Sequence[str]) -> list[Exhibit]:
        """The exhibits with these names, in the order of the paper; all exhibits if there are no names."""
        return [exhibit for exhibit in self.exhibits if not names or exhibit.name in names]


def measure_paper(paper: Paper, names: Sequence[str], case: Case, rows: list[Row]) -> dict[str, str]:
    """Measure exhibits of a paper.

    Parameters
    ----------
    paper : Paper
    names : sequence of str
        Names of exhibits. Without names all exhibits are measured except those that no graph fits.
    case : Case
    rows : list of Row
        Gets the rows of each exhibit as soon as the exhibit is measured, so that an error or an interrupt loses no
        earlier rows. They are the rows of the benches, with ``exhibit`` at the beginning of each key.

    Returns
    -------
    dict of str to str
        The exhibits without rows, and the reason for each.

    Raises
    ------
    GraphError
        If an exhibit was named and no graph has what the exhibit needs.
    """
    left_out: dict[str, str] = {}
    tell = case.tell
    for exhibit in paper.chosen(names):
        case.tell = partial(_tell, tell, exhibit.name)
        found = exhibit.measure(case)
        if not found:
            left_out[exhibit.name] = f"left out: it needs {exhibit.needs}, which no graph here has"
        rows += [{**each, "key": {"exhibit": exhibit.name, **each["key"]}} for each in found]
    case.tell = tell
    if names and left_out:
        raise GraphError("; ".join(f"{name}: {why}" for name, why in left_out.items()))
    return left_out


def described(exhibits: Sequence[Exhibit]) -> dict[str, dict[str, str]]:
    """The part of a document's settings about exhibits: everything that is needed to show their rows."""
    return {each.name: {"title": each.title, "answer": each.answer, "bench": each.bench} for each in exhibits}


def _tell(tell: Tell, exhibit: str, what: str) -> None:
    tell(f"{exhibit}: {what}")
