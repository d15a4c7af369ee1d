"""Functions that apply a batch to trees of labels, for each arc or each vertex."""

from __future__ import annotations

import numpy as np

from minigr.apps.components.programs import flatten
from minigr.jit.atomics import atomic_add
from minigr.jit.functor import Functor
from minigr.jit.union_find import find, join
from minigr.program.fields import scalar_field, vertex_field
from minigr.program.problem import Problem


class LabelProblem(Problem):
    label = vertex_field(np.int32)
    roots = scalar_field(np.int64)


class Flatten(Functor):
    def apply(label, vertex):
        return 1 if flatten(label, vertex) == vertex else 0


def join_arc(i, src, dst, label, joined):
    """Join the ends of arc i; return the root that became a child, or the common root if the ends had the same."""
    hung = join(label, src[i], dst[i])
    if hung < 0:
        return find(label, src[i])
    atomic_add(joined, 0, 1)
    return hung


def flatten_tree(i, label):
    if label[i] >= 0:
        flatten(label, i)
