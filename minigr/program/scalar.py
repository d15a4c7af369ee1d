"""Fields that receive reduced results of an operator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.dtypes import REAL
from minigr.errors import ProblemError
from minigr.primitives import reduce_ops
from minigr.program.work_cpu import MOST_PIECES

if TYPE_CHECKING:
    from minigr.device import Device
    from minigr.program.problem import Problem


@dataclass(frozen=True)
class Scalar:
    """A scalar field that receives reduced results."""

    name: str
    reduce: str
    initial: Any  # where the reduction starts
    accumulates: bool = False  # over all steps of a loop, instead of in each step

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the reduction."""
        return self.initial.dtype

    @property
    def partials(self) -> str:
        """Name of the buffer for the workers' partial results."""
        return f"partials_{self.name}"

    @property
    def held(self) -> str:
        """Name of the GPU's buffer for the result so far, while some rows are still unfinished."""
        return f"held_{self.name}"

    @property
    def sums(self) -> str:
        """Name of the GPU's buffer for the results of the last step and of the step before it, which take turns."""
        return f"sums_{self.name}"

    def options(self) -> tuple[Any, ...]:
        """The properties that a program depends on, compared by bits: NaN equals itself, and 0.0 differs from -0.0."""
        return self.name, self.reduce, self.accumulates, self.dtype.char, self.initial.tobytes()

    def buffers(self, device: Device) -> dict[str, tuple[Any, Any, Any]]:
        """The buffers for partial results, in the form of `minigr.program.node.Node.buffers`.

        There is a result for each worker and, on a CPU, at least a result for each piece of work that threads claim.
        """
        least = 0 if device.is_cuda else MOST_PIECES
        return {self.partials: (lambda workers: max(workers, least), self.dtype, 0)}

    def gpu_buffers(self, phases: int) -> dict[str, tuple[Any, Any, Any]]:
        """The further buffers that a GPU needs, if the results of `phases` phases are reduced."""
        held = {self.held: (1, self.dtype, None)} if phases > 1 else {}
        return held | ({self.sums: (2, self.dtype, None)} if self.accumulates else {})


def scalar_of(problem: Problem, name: Any, reduce: Any, initial: Any, accumulates: bool, option: str) -> Scalar:
    """The scalar field `name`, and how results are reduced into it.

    Raises
    ------
    ProblemError
        If the problem has no scalar field of this name, `reduce` is no reduction of its dtype, or `initial` is not a
        value of its dtype. The message names the option `option`.
    """
    declared = problem._fields.get(name) if isinstance(name, str) else None
    if declared is None or declared.kind != "scalar":
        scalars = [n for n, f in problem._fields.items() if f.kind == "scalar"]
        raise ProblemError(
            f"{option}={name!r} is not a scalar field of {type(problem).__name__}, which has "
            f"{', '.join(scalars) or 'none'}: declare one with mg.scalar_field(dtype)"
        )
    return Scalar(name, reduce, reduce_ops.start(reduce, initial, problem._dtypes[name]), accumulates)


def check_into(problem: Problem, name: str, option: str) -> None:
    """Refuse a vertex field that can't hold a reduced number; `option` is for messages."""
    if problem._columns[name] or problem._dtypes[name].name not in REAL:
        declared = problem._described(problem._fields[name])
        raise ProblemError(
            f"{option}={name!r} is declared as {declared}, but results are reduced into a field with one "
            f"{', '.join(REAL[:-1])} or {REAL[-1]} for each vertex: declare another field for them"
        )
