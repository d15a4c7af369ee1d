"""CuPy's interface to NCCL, implemented by MPI over memory of the host: for processes with emulated GPUs."""

import ctypes

from mpi4py import MPI

available = True
NCCL_UINT8 = 1
_calls = []


def get_unique_id():
    return "of rank 0"


def groupStart():
    _calls.clear()


def groupEnd():
    MPI.Request.Waitall([call() for call in _calls])


class NcclCommunicator:
    def __init__(self, size, number, rank):
        assert (size, number, rank) == (MPI.COMM_WORLD.size, get_unique_id(), MPI.COMM_WORLD.rank)

    def send(self, address, count, kind, peer, stream):
        self._add(MPI.COMM_WORLD.Isend, address, count, kind, peer)

    def recv(self, address, count, kind, peer, stream):
        self._add(MPI.COMM_WORLD.Irecv, address, count, kind, peer)

    def abort(self):
        """Do nothing, because no message is on its way after `groupEnd`."""

    def _add(self, begin, address, count, kind, peer):
        assert kind == NCCL_UINT8
        memory = (ctypes.c_byte * count).from_address(address)
        _calls.append(lambda: begin([memory, MPI.BYTE], peer, 77))
