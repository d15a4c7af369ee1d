"""The table of a traced run: one row for each step."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from minigr.program.control import Word


@dataclass(frozen=True)
class Row:
    """One step.

    Attributes
    ----------
    iteration : int
    frontier : int
        Items in the step's input; with several frontiers, the total over all frontiers that the step returns.
    output : int
        Items in the next step's input.
    direction : str
        ``"push"`` or ``"pull"``.
    edges : int
        Visited edges.
    milliseconds : float
        Host time of the step, launch and read-back included.
    sent : int
        Over a graph in parts, the bytes of all arrays that parts sent to other parts.
    exchange_milliseconds : float
        Over a graph in parts, the time of this process in exchanges, which includes the time to wait for other
        processes. This time is part of `milliseconds`.
    """

    iteration: int
    frontier: int
    output: int
    direction: str
    edges: int
    milliseconds: float
    sent: int = 0
    exchange_milliseconds: float = 0.0


@dataclass
class Trace:
    """The rows of a traced run. A trace iterates over its rows, and prints as a table.

    Examples
    --------
    >>> import minigr as mg
    >>> result = mg.bfs(mg.generate.path(3, device="cpu"), 0, trace=True)
    >>> [(row.frontier, row.output) for row in result.trace]
    [(1, 1), (1, 1), (1, 0)]
    """

    rows: list[Row] = field(default_factory=list)
    _frontier: int = 0
    _edges: int = 0
    _pulls: int = 0
    _in_parts: bool = False

    def begin(self, frontier: int, *, in_parts: bool = False) -> None:
        """Note the size of the first frontier, and whether the graph is in parts."""
        self.rows.clear()
        self._frontier, self._edges, self._pulls, self._in_parts = frontier, 0, 0, in_parts

    def add(self, control: Any, seconds: float) -> None:
        """Add the step that just ended, from its control block."""
        output, edges, pulls = (control[word] for word in (Word.INPUT_LENGTH, Word.EDGES, Word.PULLS))
        direction = "pull" if pulls > self._pulls else "push"
        self.rows.append(
            Row(control[Word.ITERATION], self._frontier, output, direction, edges - self._edges, seconds * 1e3)
        )
        self._frontier, self._edges, self._pulls = output, edges, pulls

    def add_of_parts(
        self, iteration: int, output: int, pulled: bool, edges: int, seconds: float, sent: int, exchange_seconds: float
    ) -> None:
        """Add a step over a graph in parts; see `Row`."""
        times = {"milliseconds": seconds * 1e3, "exchange_milliseconds": exchange_seconds * 1e3}
        self.rows.append(
            Row(iteration, self._frontier, output, "pull" if pulled else "push", edges, sent=sent, **times)
        )
        self._frontier = output

    def as_dicts(self) -> list[dict[str, Any]]:
        """The rows as dictionaries, for pandas or JSON."""
        return [asdict(row) for row in self.rows]

    def __iter__(self) -> Any:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        lines = [f"{'step':>6} {'frontier':>10} {'output':>10} {'dir':>5} {'edges':>12} {'ms':>9}"]
        for r in self.rows:
            lines.append(
                f"{r.iteration:>6} {r.frontier:>10} {r.output:>10} {r.direction:>5} {r.edges:>12} "
                f"{r.milliseconds:>9.3f}"
            )
        if self._in_parts:
            lines[0] += f" {'sent, B':>12} {'exch. ms':>9}"
            for line, r in enumerate(self.rows, 1):
                lines[line] += f" {r.sent:>12} {r.exchange_milliseconds:>9.3f}"
        return "\n".join(lines)
