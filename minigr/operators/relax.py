"""An advance and the near-far split after it as one operator: whether threads of a CPU may go on in it without a wait.

Between two steps there is a barrier, at which a vertex waits before its edges are visited. The wait is not needed if
only the vertex's priority decides when it is due. This holds if the functor only lowers elements, which gives the same
result in any order, and if no function uses the number of the step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigr.operators.relax_cpu import OWN_ITEMS
from minigr.program.node import HUB, Node

if TYPE_CHECKING:
    from minigr.operators.far_pile import NearFar
    from minigr.program.cpu_text import CpuText
    from minigr.program.plan import Plan

_OF_STEPS = ("iteration", "seg", "idx")  # values that depend on how edges are assigned to steps


def keeps_no_order(advance: Node, split: NearFar, plan: Plan) -> bool:
    """Whether the loop has only these two operators, and the same result if a thread works ahead of the step."""
    (frontier, *others), nodes = plan.frontiers, plan.nodes
    is_all = len(nodes) == 2 and not others and advance.input == frontier.input and plan.until is None
    if not (is_all and plan.loops_back and not plan.in_order and split.bins == 2 and not split.falling):
        return False
    functions = [*advance.functions.values(), *split.functions.values()]
    if "apply_advance" in advance.functions or any(each.uses(name) for each in functions for name in _OF_STEPS):
        return False
    changes = plan.changes(functions)
    return changes is not None and all(
        (name, access.how, access.place) == ("cond_advance", "atomic_min", "dst") and access.claims
        for name, access in changes
    )


def buffers() -> dict[str, tuple[Any, Any, Any]]:
    """Memory that each thread has for itself."""
    return {"own": (lambda workers: (workers, OWN_ITEMS), np.int32, None)}


def cpu(text: CpuText, advance: Node, split: NearFar, rows: str, reverse: bool) -> None:
    """Write both operators into a program, except the code at the barrier.

    `rows` are the rows along which the advance goes: with `reverse`, the rows of in-edges.
    """
    k, near = advance.index, split.index
    text.use("relax_cpu")
    text.use("tiles_cpu", "schedules")
    asked = (advance, "cond_advance", "yes"), (advance, "cond_target", "yes"), (split, "priority", "")
    adapters = ", ".join(text.adapter(node, name, default) for node, name, default in asked)
    weight = advance.uses("weight")
    text.define(f"tiles_{k} = tiles_cpu.make_tiles({rows}, source='vertices', weight={weight}, hub={HUB}, rounds=True)")
    text.define(
        f"relax_{k} = relax_cpu.make_relax({adapters}, {rows}, tiles_{k}, hub={HUB}, weight={weight}, "
        f"reverse={reverse}, slot={near}, length_word={text.length_word(near)})"
    )
    hubs = text.buffer(advance, "hubs")
    own = ", ".join(text.buffer(split, name) for name in ("piles", "far_stamps", "levels"))
    arguments = (
        f"{text.items(advance.input)}, {text.length(advance.input)}, {text.output(split)}, stages, "
        f"{text.buffer(advance, 'own')}, {text.buffer(advance, 'stamps')}, {hubs}"
    )
    text.body(
        with_hubs(
            lambda shares: f"relax_{k}(rank, size, sync, control, graph, fields, {arguments}, {shares}, ({own}))", hubs
        )
    )
    levels = text.buffer(split, "levels")
    text.completion(["control[HUBS] = 0", text.steer("weigh_rounds", levels, text.length_word(near))])


def with_hubs(call: Callable[[str], str], hubs: str) -> list[str]:
    """Lines for a push, and for a second push in which threads share the hubs that the first one has put off."""
    return [  # a loop, so that the kernel is called, and compiled, in only one place
        "shares = False",
        "while True:",
        "    if not shares or control[HUBS] != 0:",
        f"        {call('shares')}",
        f"    if shares or size == 1 or {hubs}.size == 0:",
        "        break",
        "    barrier(sync, size)",
        "    shares = True",
    ]
