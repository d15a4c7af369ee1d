"""Parts that communicate like parts in several processes, but are threads of one process."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

from minigr.errors import PartError
from minigr.graphs.partitioned.exchange import Exchange


class Threads(Exchange):
    """One of several exchanges with one part each, which share a table of messages."""

    def __init__(self, index, table, barrier):
        self.num_parts, self.local = barrier.parties, (index,)
        self._table, self._barrier = table, barrier

    def _swap(self, letters):
        self._table[self.local[0]] = pickle.dumps(letters)
        self._barrier.wait()
        received = [pickle.loads(row)[self.local[0]] for row in self._table]
        self._barrier.wait()
        return received

    def _deliver(self, sent):
        received = self._swap([(None, message) for message in sent[0]])
        for part, (failure, _) in enumerate(received):
            if failure is not None:
                raise PartError(f"part {part} of {self.num_parts} failed: {failure}")
        return [[message for _, message in received]]

    def fail(self, error):
        self._swap([(f"{type(error).__name__}: {error}", None)] * self.num_parts)


def in_processes(count, work):
    """Run ``work(exchange)`` in `count` threads in place of processes; return what each returns or raises."""
    table, barrier = [b""] * count, threading.Barrier(count, timeout=60)

    def one(index):
        try:
            return work(Threads(index, table, barrier))
        except Exception as error:
            return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))
