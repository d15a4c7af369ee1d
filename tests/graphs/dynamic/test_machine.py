"""Random sequences of batches: hypothesis compares with a dictionary, a long run of large batches with NumPy.

MINIGR_TEST_OPERATIONS sets the number of operations of the long run (default 200,000), and MINIGR_TEST_EXAMPLES the
number of sequences that hypothesis tries (default 25).
"""

import math
import os

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from minigr.device import CPU
from minigr.graphs import Graph
from minigr.graphs.dynamic import DynamicGraph
from tests.graphs.dynamic.oracle import Oracle, check

OPERATIONS = int(os.environ.get("MINIGR_TEST_OPERATIONS", 200_000))
EXAMPLES = int(os.environ.get("MINIGR_TEST_EXAMPLES", 25))


def machine(device):
    """The class of state machines for a device."""

    class Machine(RuleBasedStateMachine):
        @initialize(
            n=st.integers(1, 6),
            directed=st.booleans(),
            weighted=st.sampled_from((False, "int32", "int64", "float32", "float64")),
            in_edges=st.booleans(),
            loops=st.booleans(),
            load_factor=st.sampled_from((0.3, 0.7, 1.0, 3.5, math.inf)),
        )
        def start(self, n, directed, weighted, in_edges, loops, load_factor):
            self.graph = DynamicGraph(
                n, directed=directed, weighted=weighted, in_edges=in_edges, allow_self_loops=loops,
                load_factor=load_factor, device=device,
            )  # fmt: skip
            self.oracle = Oracle(n, directed, bool(weighted), loops)
            self.marked = None

        def pairs(self, data, count):
            """Random pairs of live vertices, many of them at a hub, so that chains grow."""
            live = sorted(set(range(self.oracle.n)) - self.oracle.dead)
            if not live:
                return [], []
            rng = np.random.default_rng(data)
            src, dst = rng.choice(live, (2, count))
            src[rng.random(count) < 0.4] = live[0]
            return src.tolist(), dst.tolist()

        @rule(seed=st.integers(0, 2**20), count=st.sampled_from((0, 1, 3, 40, 300)), first=st.integers(0, 9))
        def insert(self, seed, count, first):
            src, dst = self.pairs(seed, count)
            weights = [first + i for i in range(len(src))] if self.oracle.weighted else None
            before = set(self.oracle.arcs())
            want = self.oracle.insert(src, dst, weights)
            values = None if weights is None else np.array(weights, self.graph.weight_dtype)
            ids = np.array(src, np.int32), np.array(dst, np.int32)
            if seed % 2:
                got, mask = self.graph.insert_edges(*ids, values, return_mask=True)
                assert CPU.asarray(mask).tolist() == want
            else:
                got = self.graph.insert_edges(*ids, values)
            assert got == sum(want)
            if self.marked is not None:
                self.marked |= set(self.oracle.arcs()) - before

        @rule(seed=st.integers(0, 2**20), count=st.sampled_from((0, 1, 40, 300)))
        def delete(self, seed, count):
            src, dst = self.pairs(seed, count)
            want = self.oracle.delete(src, dst)
            got, mask = self.graph.delete_edges(np.array(src, np.int32), np.array(dst, np.int32), return_mask=True)
            assert CPU.asarray(mask).tolist() == want
            assert got == sum(want)

        @rule(seed=st.integers(0, 2**20))
        def query(self, seed):
            src, dst = self.pairs(seed, 60)
            arcs = self.oracle.arcs()
            pairs = list(zip(src, dst, strict=True))
            ids = np.array(src, np.int32), np.array(dst, np.int32)
            assert CPU.asarray(self.graph.has_edges(*ids)).tolist() == [pair in arcs for pair in pairs]
            if self.oracle.weighted:
                assert CPU.asarray(self.graph.edge_weights(*ids, default=-1)).tolist() == [
                    arcs.get(pair, -1) for pair in pairs
                ]

        @rule(k=st.sampled_from((0, 1, 5, 70)), seed=st.none() | st.integers(0, 2**20))
        def insert_vertices(self, k, seed):
            if self.oracle.n >= 200:
                return
            if seed is None or not k:
                assert CPU.asarray(self.graph.insert_vertices(k)).tolist() == self.oracle.insert_vertices(k)
                return
            src, dst = self.pairs(seed, 50)
            rng, mixed = np.random.default_rng(seed), (np.array(ends, np.int64) for ends in (src, dst))
            src, dst = (np.where(rng.random(len(ends)) < 0.6, ~rng.integers(0, k, len(ends)), ends) for ends in mixed)
            weights = list(range(len(src))) if self.oracle.weighted else None
            values = None if weights is None else np.array(weights, self.graph.weight_dtype)
            ids = self.oracle.insert_vertices(k)
            named = ([ids[~end] if end < 0 else end for end in ends.tolist()] for ends in (src, dst))
            before = set(self.oracle.arcs())
            self.oracle.insert(*named, weights)
            assert CPU.asarray(self.graph.insert_vertices(k, src, dst, values)).tolist() == ids
            if self.marked is not None:
                self.marked |= set(self.oracle.arcs()) - before

        @rule(seed=st.integers(0, 2**20), count=st.integers(0, 4))
        def delete_vertices(self, seed, count):
            ids = np.random.default_rng(seed).integers(0, self.oracle.n, count).tolist()
            assert self.graph.delete_vertices(ids) == self.oracle.delete_vertices(ids)

        @rule(load_factor=st.sampled_from((None, 0.2, 0.9, 2.0, math.inf)))
        def rehash(self, load_factor):
            self.graph.rehash(load_factor)

        @rule()
        def flush_or_copy(self):
            self.graph.flush()
            self.graph = self.graph.copy()

        @rule()
        def mark(self):
            self.graph.mark()
            self.marked = set()

        @invariant()
        def agrees(self):
            check(self.graph, self.oracle)
            if self.marked is not None:
                self.marked &= set(self.oracle.arcs())
                src, dst, _ = self.graph.added_since_mark()
                found = list(zip(CPU.asarray(src).tolist(), CPU.asarray(dst).tolist(), strict=True))
                assert len(found) == len(set(found))
                assert set(found) == self.marked

    return Machine


def test_machine(device):
    run_state_machine_as_test(
        machine(device), settings=settings(max_examples=EXAMPLES, stateful_step_count=15, deadline=None)
    )


@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
def test_long_run(device, directed):
    """Large batches, mostly at a few hubs, compared with a set of keys and with rows that are built from it."""
    n, rng, done = 3000, np.random.default_rng(7), 0
    graph = DynamicGraph(n, directed=directed, weighted="int64", device=device)
    keys, values = np.empty(0, np.int64), np.empty(0, np.int64)
    while done < OPERATIONS:
        count = int(rng.integers(1, 30_000))
        src, dst = (np.minimum((n * rng.random(count) ** 3).astype(np.int64), n - 1) for _ in range(2))
        low, high = (src, dst) if directed else (np.minimum(src, dst), np.maximum(src, dst))
        batch = low * n + high
        if rng.random() < 0.6:
            weights = rng.integers(-(2**40), 2**40, count)
            proper = src != dst
            last = np.unique(batch[proper][::-1], return_index=True)
            new = last[0][~np.isin(last[0], keys)]
            assert graph.insert_edges(src, dst, weights) == len(new)
            kept = ~np.isin(keys, last[0])
            keys = np.concatenate([keys[kept], last[0]])
            values = np.concatenate([values[kept], weights[proper][::-1][last[1]]])
        else:
            gone = np.isin(keys, batch)
            assert graph.delete_edges(src, dst) == gone.sum()
            keys, values = keys[~gone], values[~gone]
        done += count
        assert graph.num_edges == len(keys)
    want = Graph.from_edges(keys // n, keys % n, values, num_vertices=n, directed=directed, device="cpu")
    got = graph.to_graph()
    for name in ("offsets", "indices", "weights"):
        np.testing.assert_array_equal(CPU.asarray(getattr(got, name)), getattr(want, name))
    assert graph.memory().mean_chain < 3
