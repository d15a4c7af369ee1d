"""How parts on the GPUs of several processes talk to each other: by letters, and by NCCL for the arrays in them."""

from __future__ import annotations

import io
import pickle
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from minigr.device import _cupy, gpu_count, resolve
from minigr.errors import DeviceError, PartError
from minigr.graphs.partitioned.messages import Messages, Mpi
from minigr.graphs.partitioned.post import PostOffice


class GpuMessages(Messages):
    """Between processes that were started by MPI, with one part each, on a GPU.

    A first round of letters has all but the arrays of GPUs, and says what these are like. The arrays go from GPU to GPU
    by NCCL, if each process has a GPU of its own and CuPy finds NCCL in each. Otherwise they go through the memory of
    the hosts, in a second round.
    """

    def __init__(self, how: Mpi, office: PostOffice | None = None) -> None:
        super().__init__(how, office)
        self._communicator: Any = None  # NCCL's
        self._is_decided = False
        number = self._office.number_on_host
        with self.together():
            if gpu_count() == 0:
                raise DeviceError("devices=mg.distributed.Mpi(device='cuda'), but this process sees no GPU: use 'cpu'")
            self.home = resolve(f"cuda:{number % gpu_count()}")

    def _deliver(self, sent: list[list[Any]]) -> list[list[Any]]:
        (messages,) = sent
        own = self.local[0]
        with self.home.as_current():
            packed = [_Packed() if part == own else _packed(message) for part, message in enumerate(messages)]
            carries = any(each.arrays for each in packed)
            (told,) = super()._deliver([[(each.text, each.buffers, each.shapes, carries) for each in packed]])
            arrays: list[list[Any]] = [[] for _ in told]
            if any(others_carry for *_, others_carry in told):
                arrays = self._carried([each.arrays for each in packed], [shapes for _, _, shapes, _ in told])
            received = zip(told, arrays, strict=True)
            found = [None if part == own else _unpacked(text, buffers, there)
                     for part, ((text, buffers, *_), there) in enumerate(received)]  # fmt: skip
        found[own] = messages[own]
        return [found]

    def _carried(self, sent: list[list[Any]], shapes: list[list[Any]]) -> list[list[Any]]:
        """The arrays that all parts send to this one, which are like `shapes`; it sends them these."""
        if not self._is_decided:
            self._communicator, self._is_decided = self._connected(), True
        if self._communicator is None:
            (received,) = super()._deliver([[[array.get() for array in arrays] for arrays in sent]])
            return [[self.home.asarray(array) for array in arrays] for arrays in received]
        found = [[self.home.empty(shape, dtype) for shape, dtype in of_part] for of_part in shapes]
        super()._deliver([[None] * self.num_parts])  # all have room for what comes
        self._transfer(sent, found)
        return found

    def _transfer(self, sent: Sequence[list[Any]], found: Sequence[list[Any]]) -> None:
        nccl, link = _nccl(), self._communicator
        stream = _cupy().cuda.get_current_stream()
        nccl.groupStart()
        for move, of_parts in ((link.send, sent), (link.recv, found)):
            for part, arrays in enumerate(of_parts):
                for array in arrays:
                    if array.nbytes:
                        move(array.data.ptr, array.nbytes, nccl.NCCL_UINT8, part, stream.ptr)
        nccl.groupEnd()
        event = stream.record()
        try:
            if not self._wait(lambda: event.done):
                why = f"{self._name(self.local[0])} has waited {self._how.time_limit:g} s for arrays by NCCL"
                self._office.give_up([part for part in range(self.num_parts) if part not in self.local],
                                     self._number, why)  # fmt: skip
                self._end(why)
        except PartError:
            link.abort()  # its kernels would wait for ever
            raise

    def _connected(self) -> Any:
        """A communicator of NCCL's; None if the processes have none. All of them ask at the same time."""
        nccl, everywhere = _nccl(), [None] * self.num_parts
        place = None if nccl is None else (self._office.host, _cupy().cuda.Device(self.home.index).pci_bus_id)
        (places,) = super()._deliver([[place for _ in everywhere]])
        if None in places or len(set(places)) < self.num_parts:
            return None
        number = nccl.get_unique_id() if self.local[0] == 0 else None
        (numbers,) = super()._deliver([[number for _ in everywhere]])
        return nccl.NcclCommunicator(self.num_parts, numbers[0], self.local[0])


@dataclass
class _Packed:
    """A message as bytes, the memory of its arrays on the host, and its arrays on the GPU."""

    text: bytes = b""
    buffers: list[Any] = field(default_factory=list)
    arrays: list[Any] = field(default_factory=list)

    @property
    def shapes(self) -> list[Any]:
        return [(array.shape, array.dtype) for array in self.arrays]


class _Pickler(pickle.Pickler):
    """Has arrays on the GPU stand outside, by number."""

    def __init__(self, file: io.BytesIO, packed: _Packed) -> None:
        super().__init__(file, protocol=5, buffer_callback=packed.buffers.append)
        self._arrays, self._kind = packed.arrays, _cupy().ndarray

    def persistent_id(self, found: Any) -> int | None:
        """The number of an array; None for all else."""
        if not isinstance(found, self._kind):
            return None
        self._arrays.append(_cupy().ascontiguousarray(found))
        return len(self._arrays) - 1


class _Unpickler(pickle.Unpickler):
    def __init__(self, text: bytes, buffers: list[Any], arrays: list[Any]) -> None:
        super().__init__(io.BytesIO(text), buffers=buffers)
        self._arrays = arrays

    def persistent_load(self, number: int) -> Any:
        """The array of this number."""
        return self._arrays[number]


def _packed(message: Any) -> _Packed:
    packed, file = _Packed(), io.BytesIO()
    _Pickler(file, packed).dump(message)
    packed.text = file.getvalue()
    return packed


def _unpacked(text: bytes, buffers: list[Any], arrays: list[Any]) -> Any:
    return _Unpickler(text, buffers, arrays).load()


def _nccl() -> Any:
    """CuPy's module for NCCL; None where it finds no NCCL."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # how to install NCCL, which is needed here only if there are several GPUs
        try:
            from cupy.cuda import nccl
        except ImportError:
            return None
    return nccl if nccl.available else None
