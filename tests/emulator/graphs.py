"""CUDA graphs with a WHILE node, for `cuda.core`."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from tests.emulator import launch
from tests.emulator.build import runtime

_numbers = itertools.count(1)


@dataclass
class _Config:
    grid: int
    block: int


@dataclass
class _Node:
    """A kernel in a graph, or the beginning of the graph; `sequence` lists all kernels."""

    sequence: list[_Node]
    config: Any = None
    kernel: Any = None
    handle: int = 0

    def launch(self, config: _Config, kernel: Any) -> _Node:
        node = _Node(self.sequence, config, kernel)
        assert not self.sequence or self.sequence[-1] is self, "only sequences are emulated"
        self.sequence.append(node)
        return node


@dataclass
class _Condition:
    default: int
    handle: int = field(default_factory=lambda: next(_numbers))


class _Definition:
    def __init__(self) -> None:
        self._loops: list[tuple[_Condition, list[_Node]]] = []

    def create_condition(self, default_value: int) -> _Condition:
        return _Condition(default_value)

    def while_loop(self, condition: _Condition) -> Any:
        sequence: list[_Node] = []
        self._loops.append((condition, sequence))
        return SimpleNamespace(body=_Node(sequence))

    def instantiate(self) -> _Graph:
        return _Graph(self._loops)


class _Graph:
    def __init__(self, loops: list[tuple[_Condition, list[_Node]]]) -> None:
        self._loops = loops

    def launch(self, stream: Any) -> None:
        for condition, sequence in self._loops:
            runtime().set_conditional(condition.handle, condition.default)
            while runtime().conditional(condition.handle):
                for node in sequence:
                    node.kernel((node.config.grid,), (node.config.block,), ())


class Core:
    """`cuda.core` with emulated parts where a device is needed. The parts that compile are the real ones."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self.graph = SimpleNamespace(GraphDefinition=_Definition)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    LaunchConfig = _Config

    class Device:
        def __init__(self, device: int) -> None:
            pass

        def set_current(self) -> None:
            pass

    class Kernel:
        @staticmethod
        def from_handle(handle: int) -> launch.Kernel:
            return launch.kernel_at(handle)

    class Stream:
        @staticmethod
        def from_handle(handle: int) -> int:
            return handle
