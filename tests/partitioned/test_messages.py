"""Rounds of messages between parts, over a fake MPI of lists: late, lost, too long and too large messages."""

import sys
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from minigr.errors import DeviceError, GraphError, PartError
from minigr.graphs.partitioned import post
from minigr.graphs.partitioned.messages import Messages, Mpi
from minigr.graphs.partitioned.post import PostOffice


class Sent:
    """A message on its way, whose sender knows when it is received."""

    def __init__(self, content, source):
        self.content, self.source, self.taken = bytes(content), source, False

    def Test(self):
        return self.taken

    def Irecv(self, into):
        into[0][:] = np.frombuffer(self.content, np.uint8)
        self.taken = True
        return self


class World:
    """The module and the communicator of mpi4py for one of several processes, which are threads here."""

    BYTE = ANY_SOURCE = None

    def __init__(self, rank, boxes, lost):
        self.rank, self.size, self._boxes, self._lost = rank, len(boxes), boxes, lost
        self.COMM_WORLD = self

    class Status:
        def Get_count(self, _):
            return len(self.sent.content)

        def Get_source(self):
            return self.sent.source

    def Isend(self, buffer, part, _):
        sent = Sent(buffer[0], self.rank)
        if self.rank not in self._lost:
            self._boxes[part].append(sent)
        return sent

    def Improbe(self, _, __, status):
        if not self._boxes[self.rank]:
            return None
        status.sent = self._boxes[self.rank].popleft()
        return status.sent


def offices(count, lost=()):
    boxes = [deque() for _ in range(count)]
    return [PostOffice(World(rank, boxes, lost)) for rank in range(count)]


def parts(count, seconds=60.0, lost=()):
    return [Messages(Mpi(seconds), office) for office in offices(count, lost)]


def at_once(exchanges, work):
    """Run ``work(exchange)`` in all parts at the same time; return what it returns or raises in each."""

    def one(exchange):
        try:
            return work(exchange)
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(exchanges)) as pool:
        return list(pool.map(one, exchanges))


def test_letters_go_to_those_they_are_for():
    def work(exchange):
        (own,) = exchange.local
        (received,) = exchange.all_to_all([[(own, part, np.full(own, part)) for part in range(3)]])
        assert [each[:2] for each in received] == [(part, own) for part in range(3)]
        assert [each[2].tolist() for each in received] == [[own] * part for part in range(3)]
        return exchange.all_gather([own * 10])

    assert at_once(parts(3), work) == [[0, 10, 20]] * 3


def test_who_does_not_answer_is_named_by_all():
    exchanges = parts(3, 0.2, lost=[1])
    found = at_once(exchanges, lambda exchange: exchange.all_gather([7]) if exchange.local != (1,) else None)
    for error in (found[0], found[2]):
        assert isinstance(error, PartError)
        assert "part 1 of 3 has not answered for 0.2 s" in str(error)
    with pytest.raises(PartError, match="have stopped talking, so make the graph again: part 1 of 3"):
        exchanges[0].all_gather([7])
    with pytest.raises(PartError, match="part 1 of 3 has not answered"):  # the others reported it
        exchanges[1].all_gather([7])
    assert not any(exchange._office._letters for exchange in exchanges)


def test_those_who_wait_hear_that_another_gave_up():
    exchanges = parts(3, 60, lost=[1])
    exchanges[0]._how = Mpi(0.1)
    found = at_once(exchanges, lambda exchange: exchange.all_gather([7]) if exchange.local != (1,) else None)
    assert str(found[2]) == str(found[0])
    assert "part 1 of 3 has not answered for 0.1 s" in str(found[2])


def test_a_failure_is_told_once_and_all_go_on():
    def work(exchange):
        def inner():
            with exchange.together():
                if exchange.local == (1,):
                    raise KeyError("of one")
                exchange.all_gather([1])

        with pytest.raises((KeyError, PartError), match="of one"), exchange.together():
            inner()
        return exchange.all_gather([exchange.local[0]])

    assert at_once(parts(3), work) == [[0, 1, 2]] * 3


def test_a_failure_is_told_although_another_part_is_silent():
    def work(exchange):
        if exchange.local == (0,):
            with exchange.together():
                raise KeyError("of one")
        return exchange.all_gather([1]) if exchange.local == (2,) else None

    found = at_once(parts(3, 0.2), work)
    assert isinstance(found[0], KeyError)
    assert isinstance(found[2], PartError)
    assert "part 0 of 3 failed: KeyError: 'of one'; and part 1 of 3 has not answered" in str(found[2])


def test_a_letter_that_there_is_no_room_for(monkeypatch):
    has_room, owner = np.empty, []

    def empty(length, dtype):
        if threading.get_ident() in owner and length > 10_000:
            raise MemoryError("no room")
        return has_room(length, dtype)

    monkeypatch.setattr(post.np, "empty", empty)

    def work(exchange):
        if exchange.local == (2,):
            owner.append(threading.get_ident())
        try:
            with exchange.together():
                exchange.all_gather([b"x" * 20_000])
        except (MemoryError, PartError) as error:
            owner.clear()
            return [str(error), *exchange.all_gather([exchange.local[0]])]

    told = "part 2 of 3 failed: MemoryError: no room"
    assert at_once(parts(3), work) == [[told, 0, 1, 2], [told, 0, 1, 2], ["no room", 0, 1, 2]]


def test_several_exchanges_do_not_mix():
    def work(office):
        first, second = Messages(Mpi(), office), Messages(Mpi(), office)
        return [each.all_gather([(name, office.rank)]) for each, name in ((second, "b"), (first, "a"), (second, "c"))]

    found = at_once(offices(2), work)
    assert found == [[[(name, 0), (name, 1)] for name in "bac"]] * 2


@pytest.mark.parametrize("limit", [0, -1, float("nan")])
def test_a_time_limit_is_above_0(limit):
    with pytest.raises(GraphError, match="give the seconds to wait for another part"):
        Mpi(limit)


def test_bad_device():
    with pytest.raises(DeviceError, match=r"device='gpu': give 'cpu', or 'cuda'"):
        Mpi(device="gpu")


@pytest.mark.parametrize("name", ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE"])
@pytest.mark.parametrize("size", [1, 3])
def test_processes_that_mpi_does_not_know_of_are_an_error(monkeypatch, name, size):
    """Each process would be the only part, and would hold the whole graph."""
    monkeypatch.setitem(sys.modules, "mpi4py", SimpleNamespace(MPI=World(0, [deque() for _ in range(size)], set())))
    for other in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE"):
        monkeypatch.delenv(other, raising=False)
    assert post.post_office.__wrapped__().size == size
    monkeypatch.setenv(name, "3")
    if size == 3:
        assert post.post_office.__wrapped__().size == 3
        return
    with pytest.raises(DeviceError, match=rf"3 processes were started \({name}\), .* mpiexec -n 3 python -m mpi4py"):
        post.post_office.__wrapped__()
