"""The memory of a run over all parts. The first run of a step makes it, and the graph keeps it for later runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from minigr.device import Device, _cupy
from minigr.graphs.partitioned.part import Part
from minigr.locks import free_in_children
from minigr.operators.advance import ARRIVED
from minigr.operators.partitioned.across import ghosts_of, scalars_of
from minigr.operators.partitioned.across_setup import Setup
from minigr.operators.partitioned.across_text import PAGE
from minigr.operators.partitioned.part_plan import shares_of
from minigr.program.control import NEWS_SETS, SYNC_WORDS, news_stride, news_words, words
from minigr.program.cuda import CudaRun
from minigr.program.cuda_views import pointer
from minigr.program.executor import put_first, put_fixed
from minigr.program.frontier import Frontier
from minigr.program.plan import Plan

# A number of ghosts. Operators over all vertices store in list order if lists are long. An advance does so only from
# VERY_LONG ghosts on: its steps are then long compared with the additional phase.
VERY_LONG = 1 << 22


class Place:
    """A part's GPU and stream. In a ``with`` block, they are the current ones.

    Parameters
    ----------
    device : Device
    own : stream or None
        A stream for this part alone. By default, the GPU's current stream.
    """

    def __init__(self, device: Device, own: Any = None) -> None:
        self._current = _cupy().cuda.get_current_stream(device.index)
        self.device, self.stream, self._own = device, self._current if own is None else own, own
        self._before: Any = None

    def synchronize(self) -> None:
        """Wait for the work in the current stream of the GPU, unless this is the part's stream."""
        if self._own is not None:
            with self.device.as_current():  # each GPU has a default stream
                self._current.synchronize()

    def __enter__(self) -> None:
        self._before = self.device.as_current()
        self._before.__enter__()
        if self._own is not None:
            self._own.__enter__()

    def __exit__(self, *error: Any) -> None:
        if self._own is not None:
            self._own.__exit__(*error)
        self._before.__exit__(*error)


class PartRoom:
    """The memory of one part in a run over all parts.

    Parameters
    ----------
    setup : Setup
    problem : Problem
        The whole problem.
    part : Part
        The part, whose GPU must be current.
    pages : int
        Number of pages into which all parts divide the vertices; 0 if lists are short.
    by_list : bool
        Whether steps of an advance store for other parts in list order.

    Attributes
    ----------
    run : CudaRun
        The run, which is used for one problem after the other.
    of_all : int64 array
        The control block of all parts together, on the host; `scalars` follow it.
    table : uint64 array [parts, columns]
        Addresses in all parts, on the host. One copy brings the whole table to the part.
    begins : dict
        The positions at which the vertices of each other part begin among all ghosts of this part, and among all
        mirrors.
    """

    def __init__(self, setup: Setup, problem: Any, part: Part, pages: int, by_list: bool) -> None:
        across, self.part = setup.across, part
        plan = setup.plans[part.index].over(problem.on_part(part.index), None)
        self.run = run = CudaRun(plan, "fused")
        put_fixed(plan, run)
        self._place_words(plan, setup)
        self.made_of = part.ghosts, part.owned  # the part gets new ghosts when it makes in-edges
        empty, dtypes = part.device.empty, problem._dtypes
        lists = {"ghosts": part.ghosts, "mirrors": part.mirrors}
        self.begins = {name: np.cumsum([0, *map(len, of_parts)]) for name, of_parts in lists.items()}
        ghosts, mirrors = (int(begins[-1]) for begins in self.begins.values())
        self._inbox = 2 * 2 * (1 + news_words(plan.counters))  # two halves of each word that others send, in two turns
        boxes = {"inbox": part.device.full(across.num_parts * self._inbox, 0, np.uint64)}
        self._mails = across.mails
        has_mail = any(map(across.sends, plan.nodes))
        boxes |= {"heads": empty(across.mails * mirrors if has_mail else 0, np.uint64)}
        boxes |= {f"mail_{name}": empty(across.mails * mirrors, dtypes[name]) for name in across.written}
        boxes |= {f"known_{name}": empty(ghosts, dtypes[name]) for name in across.known}
        boxes |= {f"sent_{name}": empty(mirrors, dtypes[name]) for name in across.refreshed}
        for name in across.joined:  # roots that other parts told this part, and roots that this part told them
            boxes |= {f"ghost_{kind}_{name}": empty(ghosts, dtypes[name]) for kind in ("roots", "told")}
            boxes |= {f"mirror_{kind}_{name}": empty(mirrors, dtypes[name]) for kind in ("roots", "told")}
        boxes |= {"looked_at": part.device.full(pages, 0, np.int32)}
        boxes |= {"refreshed": part.device.full(pages * len(across.refreshed), 0, np.int32)}
        boxes |= {f"{name[:-1]}_pages": self._page_starts(name, of_parts, pages) for name, of_parts in lists.items()}
        self.boxes = boxes | {name: part.xp.concatenate(of_parts) for name, of_parts in lists.items()}
        bounds = (0, 0) if across.hashed else problem.graph.deal.bounds[part.index : part.index + 2]
        self._first_owned = int(bounds[0])
        numbers = {"part": part.index, "first_owned": bounds[0], "end_owned": bounds[1]}
        numbers |= {"pages": pages, "by_list": int(by_list)}
        numbers |= {"owned": pointer(part.owned if across.hashed else None), "num_owned": len(part.owned)}
        numbers |= {} if pages else {"looked_at": pointer(None)}  # so that no thread marks a page
        self.pack(self.boxes | numbers | {"peers": run._room.words[len(run._room.words) - self.table.size :]})

    def _page_starts(self, name: str, of_parts: Sequence[Any], pages: int) -> Any:
        """By part, where the vertices of each page begin among all of these lists, and where the last page ends."""
        xp = self.part.xp
        ends = xp.arange(pages + 1 if pages else 0, dtype=np.int64) * PAGE
        starts = [begin + xp.searchsorted(ids, ends) for begin, ids in zip(self.begins[name], of_parts, strict=False)]
        return xp.concatenate(starts).astype(np.int32)

    def _place_words(self, plan: Plan, setup: Setup) -> None:
        """Set the positions of the words behind the part's own control block, on the host and on the device."""
        room, size = self.run._room, words(plan.counters)
        begin = SYNC_WORDS + size + NEWS_SETS * news_stride(plan.counters, plan.grids)
        self.own, self.of_all = (room.host_words[at : at + size] for at in (SYNC_WORDS, begin))
        begin += size
        self.scalars, there = {}, {}
        for at, name in enumerate(scalars_of(plan.problem), begin):
            dtype = plan.problem._dtypes[name]
            self.scalars[name] = room.host_words[at : at + 1].view(dtype)[:1]
            there[name] = room.words[at : at + 1].view(dtype)[:1]
        self.scalars_there = there
        begin += len(there)
        self.table = room.host_words[begin:].view(np.uint64).reshape(-1, len(setup.columns))

    def pack(self, values: dict[str, Any]) -> None:
        """Store arguments of the part's program."""
        self.run._program.pack(self.run._room.arguments, values)

    def arrays(self) -> list[Any]:
        """All arrays that the room has on the part's GPU."""
        room = self.run._room
        return [*self.boxes.values(), *room.buffers.values(), room.start, room.zeros]

    def introduce(self, parts: Sequence[PartRoom], columns: Sequence[str]) -> None:
        """Fill the part's table with the addresses in all parts, except for fields, which differ from run to run."""
        known = [other._addresses(self.part.index) | self._numbers(other.part.index) for other in parts]
        self._known = np.array([[found.get(column, 0) for column in columns] for found in known], np.uint64)
        self._fields = [at for at, column in enumerate(columns) if column.startswith("field_")]

    def begin(self, problem: Any, fields: Any, patience: int, stale: int) -> None:
        """Store the data with which a run begins, without first frontiers; `fields`: addresses of refreshed fields."""
        self.pack({"patience": patience, "stale": stale})
        self.table[:] = self._known
        if self._fields:
            self.table[:, self._fields] = fields
        for name, scalar in self.scalars.items():
            scalar[0] = problem._values[name][0]

    def _numbers(self, part: int) -> dict[str, int]:
        """By column, the positions of another part's vertices in the lists of this part."""
        ends = {"begin": part, "end": part + 1}
        return {
            f"{name[:-1]}_{end}": int(begins[at]) for name, begins in self.begins.items() for end, at in ends.items()
        }

    def _addresses(self, part: int) -> dict[str, int]:
        """By column, the addresses of the memory that this part has for another part."""
        ghosts, mirrors = (int(begins[part]) for begins in self.begins.values())
        begins = {"inbox": part * self._inbox}
        begins |= {name: self._mails * mirrors for name in self.boxes if name == "heads" or name.startswith("mail_")}
        begins |= {name: ghosts for name in self.boxes if name.startswith(("known_", "ghost_roots_"))}
        begins |= {name: mirrors for name in self.boxes if name.startswith("mirror_roots_")}
        found = {name: address(self.boxes[name]) + at * self.boxes[name].itemsize for name, at in begins.items()}
        found |= {"sync": address(self.run._room.words), "refreshed": address(self.boxes["refreshed"])}
        found |= {"first_owned": self._first_owned}
        shared = ("partials_", ARRIVED)
        return found | {name: address(array) for name, array in self.run.buffers.items() if name.startswith(shared)}


class AcrossRoom:
    """The memory of a run over all parts.

    Parameters
    ----------
    setup : Setup
    problem : Problem
    places : sequence of Place

    Attributes
    ----------
    parts : list of PartRoom
    may_be_stale : set of str
        Fields whose copies at ghosts may be outdated when a run ends.
    arrivals : int
        Number of arrivals of each grid's blocks at barriers in all runs so far. Grids continue this count.
    """

    def __init__(self, setup: Setup, problem: Any, places: Sequence[Place]) -> None:
        self._refreshed, self.arrivals = setup.across.refreshed, 0
        graph = problem.graph
        ghosts = ghosts_of(graph)
        pages = -(-graph.num_vertices // PAGE) if setup.across.long else 0
        nodes = setup.plans[0].nodes if pages else ()
        self.may_be_stale = set().union(*map(setup.across.waiting, nodes))
        self.parts: list[PartRoom] = []
        for part, place in zip(graph.parts, places, strict=True):
            place.synchronize()  # the current stream of the GPU made the lists that are copied here
            with place:
                self.parts.append(PartRoom(setup, problem, part, pages, ghosts > VERY_LONG))
        for own in self.parts:
            own.introduce(self.parts, setup.columns)
            own.part.device.synchronize()  # other parts may write there as soon as the first run begins

    def fits(self, parts: Sequence[Part]) -> bool:
        """Whether the room was made for the vertices and ghosts of these parts."""
        return all(
            ghosts is part.ghosts and owned is part.owned
            for own, part in zip(self.parts, parts, strict=True)
            for ghosts, owned in (own.made_of,)
        )

    def begin(
        self,
        problem: Any,
        views: Sequence[Any],
        first: Sequence[Frontier],
        patience: int,
        stale: Collection[str],
        places: Sequence[Place],
    ) -> None:
        """Begin a run of each part over its view of a problem, with its share of the first frontiers.

        `patience`: time in nanoseconds that a part waits for other parts. `stale`: fields whose copies at ghosts are
        updated first.
        """
        bits = sum(1 << number for number, name in enumerate(self._refreshed) if name in stale)
        fields = np.array([[address(view._values[name]) for name in self._refreshed] for view in views], np.uint64)
        shares = [shares_of(each, [own.part for own in self.parts], problem.graph) for each in first]
        for own, view, place, *share in zip(self.parts, views, places, *shares, strict=True):
            with place:
                own.run.take(view)
                own.begin(problem, fields, patience, bits)
                put_first(own.run.plan, share, own.run)

    def let_go(self) -> None:
        """Drop all references to the problem."""
        for own in self.parts:
            own.run.let_go()


class AcrossRooms:
    """The rooms of a graph. For each step that may run again, there are as many rooms as runs at the same time."""

    def __init__(self) -> None:
        self._free: WeakKeyDictionary[Setup, list[AcrossRoom]] = WeakKeyDictionary()
        self._lock = free_in_children(threading.Lock())

    def take(self, setup: Setup, parts: Sequence[Part]) -> AcrossRoom | None:
        """A room for one run over these parts; None if no room is free."""
        with self._lock:
            free = self._free[setup] = [room for room in self._free.get(setup, ()) if room.fits(parts)]
            return free.pop() if free else None

    def put(self, setup: Setup, room: AcrossRoom) -> None:
        """Keep a room for later runs."""
        with self._lock:
            self._free.setdefault(setup, []).append(room)

    def _with_arrays(self, change: Callable[[Any], Any]) -> AcrossRooms:
        """See `minigr.held.with_arrays`.

        Rooms hold addresses, which would be wrong elsewhere, so the copy has no rooms.
        """
        with self._lock:
            found = [own for rooms in self._free.values() for room in rooms for own in room.parts]
        for own in found:
            for array in own.arrays():
                change(array)
        return AcrossRooms()


def address(array: Any) -> int:
    """The address of an array on its device."""
    return int(array.data.ptr)
