"""Parts on GPUs in processes of MPI: arrays go by NCCL, or through the host if processes share a GPU."""

import os

import pytest

from minigr.device import gpu_count
from minigr.graphs.partitioned.on_gpus import _nccl
from tests.partitioned.mpi import ANSWERS, needs_mpi, run

pytestmark = [needs_mpi, pytest.mark.gpu]
EMULATED = bool(os.environ.get("MINIGR_EMULATE"))
BEGIN = "where = mg.distributed.Mpi(device='cuda')\n"
if EMULATED:
    BEGIN = "from tests import emulator\nemulator.install()\n" + BEGIN
# Each emulated GPU claims to be a different one.
BY_NCCL = """
import cupy
from minigr.graphs.partitioned import on_gpus
from tests.partitioned import nccl_by_mpi

cupy.cuda.Device.pci_bus_id = str(rank)
on_gpus._nccl = lambda: nccl_by_mpi
"""
WITH = {"hosts": max(3, gpu_count() + 1), "NCCL": 3 if EMULATED else gpu_count()}


@pytest.fixture(params=WITH)
def by(request):
    """How arrays are sent, and the number of processes."""
    if request.param == "NCCL" and not EMULATED and (gpu_count() < 2 or _nccl() is None):
        pytest.skip("needs two GPUs and NCCL")
    return request.param


def lines_of(text, by):
    begin = BEGIN + (BY_NCCL if by == "NCCL" and EMULATED else "")
    return run(begin + text, WITH[by])


def test_answers_are_those_of_one_device(by):
    found = lines_of(ANSWERS + f"\nassert (parts._exchange._communicator is not None) == {by == 'NCCL'}\n", by)
    assert found == [f"done by {rank}" for rank in range(WITH[by])]


def test_a_process_without_a_gpu_is_an_error_of_all(by):
    found = lines_of(
        """
from minigr.graphs.partitioned import on_gpus

if rank == 1:
    on_gpus.gpu_count = lambda: 0
try:
    mg.PartitionedGraph.from_edges([0], [1], devices=where)
except Exception as error:
    print(f"{rank} {type(error).__name__}: {error}\\n", flush=True, end="")
""",
        by,
    )
    assert found == [
        f"{rank} DeviceError: part 1 of {WITH[by]} must be on a GPU, but its process sees no GPU"
        for rank in range(WITH[by])
    ]


def test_a_batch_is_dealt_out(by):
    found = lines_of(
        """
graph = mg.generate.rmat(8, 8, seed=1, device="cpu")
parts, one = mg.PartitionedDynamicGraph.from_graph(graph, devices=where), mg.DynamicGraph.from_graph(graph)
src, dst = np.array([1, 2, 3, 200]), np.array([5, 9, 255, 7])
own = slice(rank, None, size)
parts.insert_edges(src[own], dst[own])
one.insert_edges(src, dst)
assert parts.num_edges == one.num_edges
assert (mg.bfs(parts, 0).depth.gather() == mg.bfs(one, 0).depth).all()
print(f"done by {rank}\\n", flush=True, end="")
""",
        by,
    )
    assert found == [f"done by {rank}" for rank in range(WITH[by])]


def test_a_process_without_room_for_what_comes_is_an_error_of_all(by):
    """No process waits for arrays that are not sent, and all can go on."""
    found = lines_of(
        """
from minigr.device import Device

parts = mg.PartitionedGraph.from_graph(mg.generate.rmat(8, 8, seed=1, device="cpu"), devices=where)
mg.bfs(parts, 0)
exchange = parts._exchange
with exchange.home.as_current():
    news = [[exchange.home.xp.arange(99)] * size]
if rank == 1:
    kept = Device.empty, Device.asarray

    def refuse(*_):
        raise MemoryError("no room")

    Device.empty = Device.asarray = refuse
try:
    with exchange.together():
        exchange.all_to_all(news)
except Exception as error:
    print(f"{rank} {type(error).__name__}: {error}\\n", flush=True, end="")
if rank == 1:
    Device.empty, Device.asarray = kept
assert mg.bfs(parts, 0).depth.max() > 1
""",
        by,
    )
    others = [rank for rank in range(WITH[by]) if rank != 1]
    told = [f"{rank} PartError: part 1 of {WITH[by]} failed: MemoryError: no room" for rank in others]
    assert found == sorted([*told, "1 MemoryError: no room"])


# Something that keeps NCCL from finishing. Emulated GPUs do each call at once, so there an event reports it to all.
IS_STUCK = """
import cupy

nccl_by_mpi.groupEnd = lambda: None
cupy.cuda.Event.done = False
"""
DOES_NOT_SEND = """
if rank == 1:
    exchange._transfer = lambda *_: time.sleep(6)
"""


def test_a_process_that_does_not_send(by):
    """The others give up after the time limit, and no kernel still waits for its arrays."""
    if by == "hosts":
        pytest.skip("needs NCCL, which goes on by itself")
    found = lines_of(
        f"""
import time

exchange = mg.PartitionedGraph.from_edges([], [], num_vertices=9, devices=where)._exchange
with exchange.home.as_current():
    news = [[exchange.home.xp.arange(99)] * size]
exchange.all_to_all(news)  # NCCL has connected the GPUs
exchange.way._how = mg.distributed.Mpi(time_limit=3)
{IS_STUCK if EMULATED else DOES_NOT_SEND}
try:
    for _ in range(2):
        exchange.all_to_all(news)
except Exception as error:
    print(f"{{rank}} {{type(error).__name__}}: {{error}}\\n", flush=True, end="")
MPI.COMM_WORLD.Barrier()  # the last one is still at work
exchange.way._office.look()  # MPI does not end well with messages that nobody has received
""",
        by,
    )
    assert [line.split()[:2] for line in found] == [[str(rank), "PartError:"] for rank in range(WITH[by])]
    assert all("has waited too long for arrays by NCCL" in line for line in found)
