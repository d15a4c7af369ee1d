"""The package's kernels that contain no functors of users or apps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from minigr.batch.cuda_code import code_for as batch_code
from minigr.generate.cuda_code import code_for as generator_code
from minigr.graphs.build_code import code_for as builder_code
from minigr.graphs.dynamic.cuda_code import code_for as dynamic_code
from minigr.prepare.program import Program, of_kernels, of_primitive
from minigr.primitives.compact import program_of_mask


def kernel_programs() -> Iterator[tuple[str, Program]]:
    """The kernels of `minigr.graphs`, `minigr.generate` and `minigr.batch`, as programs."""
    yield "lists of rows", partial(of_primitive, program_of_mask(np.int32))  # `build_cuda.nonempty_rows`
    yield "builders of graphs", partial(of_kernels, builder_code)
    yield "generators", partial(of_kernels, generator_code)
    yield "dynamic graphs", partial(of_kernels, dynamic_code)
    yield "batches of graphs", partial(of_kernels, batch_code)
