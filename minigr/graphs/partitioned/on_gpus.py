"""The exchange between the GPUs of several processes: arrays go by NCCL, everything else as between CPUs."""

from __future__ import annotations

import os
import threading
import warnings
import weakref
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from minigr.device import Device, _cupy, gpu_count, resolve
from minigr.errors import DeviceError
from minigr.graphs.partitioned.exchange import BetweenProcesses, Exchange
from minigr.graphs.partitioned.packed import Packed, packed, unpacked

_ABORTS = 5.0  # seconds that a process waits for the others to abort


class OnGpus(Exchange):
    """The exchange between processes with one part each, on a GPU.

    A first delivery has everything except the arrays on GPUs, and describes these arrays. The arrays go from GPU to GPU
    by NCCL, if each process has a GPU of its own and CuPy finds NCCL in each process. Otherwise they go through the
    memory of the hosts, in a second delivery.

    Parameters
    ----------
    way : BetweenProcesses
        The exchange for everything else.
    """

    def __init__(self, way: BetweenProcesses) -> None:
        self.way, self.num_parts, self.local = way, way.num_parts, way.local
        self._communicator: Any = None  # of NCCL
        self._abort: Any = None  # aborts the communicator; also called when the process ends
        self._is_decided = False  # whether it is decided if there will be a communicator

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_communicator": None, "_abort": None, "_is_decided": False}

    def fail(self, error: Exception) -> None:
        self.way.fail(error)

    @cached_property
    def home(self) -> Device:
        """The GPU of the part of this process. The processes of a machine take its GPUs in turn.

        Some launchers show each process different GPUs, or the same GPUs in another order. Then a process takes the
        first GPU that it sees.

        Raises
        ------
        DeviceError
            If one of the processes sees no GPU.
        """
        own = _machine(), os.environ.get("CUDA_VISIBLE_DEVICES"), gpu_count()
        (told,) = self.way._deliver([[own] * self.num_parts])
        for part, (_, _, count) in enumerate(told):
            if count == 0:
                raise DeviceError(f"part {part} of {self.num_parts} must be on a GPU, but its process sees no GPU")
        here = [part for part, (machine, _, _) in enumerate(told) if machine == own[0]]
        alike = len({told[part][1] for part in here}) == 1
        return resolve(f"cuda:{here.index(self.local[0]) % own[2] if alike else 0}")

    def _deliver(self, sent: list[list[Any]]) -> list[list[Any]]:
        try:
            return self._delivered(sent)
        except BaseException:  # also for interrupts: NCCL must not write to memory that has been freed
            self._drop()
            raise

    def _delivered(self, sent: list[list[Any]]) -> list[list[Any]]:
        (messages,) = sent
        own = self.local[0]
        with self.home.as_current():
            made: dict[int, Packed] = {}  # a message to several parts is packed once
            for part, message in enumerate(messages):
                if part != own and id(message) not in made:
                    made[id(message)] = packed(message)
            mine = [Packed() if part == own else made[id(message)] for part, message in enumerate(messages)]
            carries = any(each.arrays for each in mine)
            letters = {id(each): (each.text, each.buffers, each.shapes, carries, self._is_decided) for each in mine}
            (told,) = self.way._deliver([[letters[id(each)] for each in mine]])
            found: list[Any] = [[] for _ in told]
            if any(each[3] for each in told):
                if not all(each[4] for each in told):
                    self._connect()
                found = self._carried([each.arrays for each in mine], [each[2] for each in told])
            for part, (text, buffers, *_) in enumerate(told):
                found[part] = messages[own] if part == own else unpacked(text, buffers, found[part])
        return [found]

    def _carried(self, sent: list[list[Any]], shapes: list[list[Any]]) -> list[list[Any]]:
        """Send arrays to all parts. Returns the arrays that all parts send to this part, which have these shapes."""
        if self._communicator is None:
            (received,) = self.way._deliver([[[array.get() for array in arrays] for arrays in sent]])
            return [[self.home.asarray(array) for array in arrays] for arrays in received]
        found = [[self.home.empty(shape, dtype) for shape, dtype in of_part] for of_part in shapes]
        self.way._deliver([[None] * self.num_parts])  # wait until all parts have memory for the arrays
        self._transfer(sent, found)
        return found

    def _transfer(self, sent: Sequence[list[Any]], found: Sequence[list[Any]]) -> None:
        """Send arrays and receive others by NCCL."""
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
        if not self.way.wait(lambda: event.done):
            self.way.stop(f"part {self.local[0]} of {self.num_parts} has waited too long for arrays by NCCL")

    def _drop(self) -> None:
        """Abort and forget the communicator.

        NCCL stops its kernels at once, and then waits until the other processes of the machine abort, too. A process
        that is lost never aborts, so this process waits only for a limited time.
        """
        if self._abort is not None:
            abort = threading.Thread(target=self._abort, name="minigr-nccl", daemon=True)
            abort.start()
            abort.join(_ABORTS)
        self._communicator, self._abort, self._is_decided = None, None, False

    def _connect(self) -> None:
        """Make a communicator of NCCL, or none if the processes can't have one. All processes call this together."""
        self._drop()
        self._communicator, self._is_decided = self._connected(), True
        if self._communicator is not None:
            # NCCL destroys a communicator together with those of the other processes, which may already have aborted
            # theirs.
            self._abort = weakref.finalize(self, self._communicator.abort)

    def _connected(self) -> Any:
        nccl, others = _nccl(), self.num_parts
        place = None if nccl is None else _place_of(self.home)
        (places,) = self.way._deliver([[place] * others])
        if None in places or len(set(places)) < others:
            return None
        number = nccl.get_unique_id() if self.local[0] == 0 else None
        (numbers,) = self.way._deliver([[number] * others])
        return nccl.NcclCommunicator(others, numbers[0], self.local[0])


def _machine() -> str:
    """An identifier of the machine, which is the same in all containers of a machine.

    The address of a network adapter does not work: on a machine without an adapter, each process draws a random
    address.
    """
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text()
    except FileNotFoundError:  # not Linux
        import socket

        return socket.gethostname()


def _place_of(device: Device) -> tuple[str, bytes, str]:
    """An identifier of a GPU among the GPUs of several machines.

    The UUID alone does not work, because CuPy truncates it at its first byte that is 0.
    """
    cupy = _cupy()
    properties = cupy.cuda.runtime.getDeviceProperties(device.index)
    return _machine(), properties["uuid"], cupy.cuda.Device(device.index).pci_bus_id


def check_device(device: Any) -> None:
    """Refuse values that are not a kind of device for the parts of processes."""
    if device not in ("cpu", "cuda"):
        raise DeviceError(f"device={device!r}: give 'cpu', or 'cuda' for a GPU in each process")


def _nccl() -> Any:
    """CuPy's module for NCCL, or None if CuPy finds no NCCL."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warning says how to install NCCL, which only several GPUs need
        try:
            from cupy.cuda import nccl
        except ImportError:
            return None
    return nccl if nccl.available else None
