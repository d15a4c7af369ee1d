"""Rooms: memory that a loop of the GPUs of all parts leaves with the graph for the next loop."""

import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minigr as mg
from minigr.graphs.partitioned.dynamic_part import DynamicPart
from minigr.operators.partitioned import across_run
from tests.gone import all_gone

GRAPH = mg.generate.rmat(7, 8, seed=1, device="cpu")
HUB = int(GRAPH.degree().argmax())
ON_GPUS = pytest.mark.parametrize("device", [pytest.param("cuda", marks=pytest.mark.gpu)], indirect=True)


@pytest.fixture
def parts(devices):
    return mg.PartitionedGraph.from_graph(GRAPH, devices=devices(2), deal="ranges")


@pytest.fixture
def made(monkeypatch):
    """A list of the rooms that are made in a test."""
    rooms, make = [], across_run.AcrossRoom

    def noted(*arguments):
        rooms.append(make(*arguments))
        return rooms[-1]

    monkeypatch.setattr(across_run, "AcrossRoom", noted)
    return rooms


def depths(graph, source):
    return mg.bfs(graph, source).depth


@ON_GPUS
def test_a_later_run_works_where_an_earlier_one_did(parts, made):
    for source in (HUB, 0, 5):
        assert (depths(parts, source).gather() == depths(GRAPH, source)).all()
    assert len(made) == 1
    taken = parts.kept["rooms"]
    assert taken > 0
    mg.bfs(parts, [0, 5, HUB])
    assert parts.kept["rooms"] == taken
    assert parts.memory == taken + sum(part.memory for part in parts.parts)


@ON_GPUS
def test_scalars_begin_again(parts, made):
    wanted = mg.pagerank(GRAPH)
    mg.pagerank(parts)
    count = len(made)
    for _ in range(2):
        found = mg.pagerank(parts)
        assert found.iterations == wanted.iterations
        assert np.allclose(found.rank.gather(), wanted.rank, rtol=1e-6)
    assert len(made) == count


@ON_GPUS
def test_a_room_holds_nothing_of_a_result(parts):
    mg.bfs(parts, HUB)
    result = mg.bfs(parts, HUB)
    arrays = [weakref.ref(local) for name in ("depth", "parent") for local in getattr(result, name).locals]
    del result
    assert not any(array() is not None for array in arrays)


@ON_GPUS
def test_a_room_is_dropped_and_made_again(parts, made):
    mg.bfs(parts, HUB)
    parts.drop("rooms")
    assert "rooms" not in parts.kept
    assert (depths(parts, HUB).gather() == depths(GRAPH, HUB)).all()
    assert len(made) == 2


@ON_GPUS
def test_rooms_go_with_the_graph(devices):
    graph = mg.PartitionedGraph.from_graph(GRAPH, devices=devices(2), deal="ranges")
    mg.bfs(graph, HUB)
    rooms = weakref.ref(graph._kept.peek("rooms"))
    del graph
    assert all_gone([rooms])


@ON_GPUS
def test_runs_at_the_same_time_have_rooms_of_their_own(parts):
    sources = [HUB, 0, 5, 9] * 3
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda source: (source, depths(parts, source).gather()), sources))
        ranks = list(pool.map(lambda _: mg.pagerank(parts).rank.gather(), range(4)))
    for source, depth in found:
        assert (depth == depths(GRAPH, source)).all()
    for rank in ranks:
        assert np.allclose(rank, mg.pagerank(GRAPH).rank, rtol=1e-6)


@ON_GPUS
def test_a_room_for_other_ghosts_is_not_taken(devices, made):
    graph = mg.generate.rmat(7, 8, seed=1, directed=True, device="cpu")
    parts = mg.PartitionedGraph.from_graph(graph, devices=devices(2), deal="ranges")
    for _ in range(2):
        assert (depths(parts, HUB).gather() == depths(graph, HUB)).all()
        ghosts = [part.num_ghosts for part in parts.parts]
        parts.make_in_edges()
    assert len(made) == 2
    assert ghosts == [part.num_ghosts for part in parts.parts]


@ON_GPUS
def test_lists_that_are_not_made_yet_are_waited_for(devices, monkeypatch):
    """Parts that share a GPU work on their own streams, but lists for them are made on the current stream."""
    whole = mg.DynamicGraph.from_graph(GRAPH, device="cpu")
    parts = mg.PartitionedDynamicGraph.from_graph(GRAPH, devices=devices(4), deal="hash")
    live = DynamicPart.live.fget

    def late(part):
        ids = live(part)
        with part.device.as_current():
            part.xp.cuda.get_current_stream().launch_host_func(time.sleep, 0.3)
            return ids.copy()

    def ranks_differ():
        return not np.allclose(mg.pagerank(parts).rank.gather(), mg.pagerank(whole).rank, rtol=1e-6)

    assert not ranks_differ()  # compiles all programs
    for graph in (whole, parts):
        graph.delete_vertices([HUB, 1, 2])
    monkeypatch.setattr(DynamicPart, "live", property(late))
    assert not ranks_differ()


@ON_GPUS
def test_a_run_that_failed_leaves_no_room(parts, made, monkeypatch):
    mg.bfs(parts, HUB)
    monkeypatch.setattr(across_run.AcrossRun, "_launch", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        mg.bfs(parts, HUB)
    monkeypatch.undo()
    assert "rooms" not in parts.kept or not parts.kept["rooms"]
    assert (depths(parts, HUB).gather() == depths(GRAPH, HUB)).all()
