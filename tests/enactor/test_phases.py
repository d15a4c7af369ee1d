"""The order of a CUDA program's phases: the steering lines, run in Python over steps that take each branch."""

from types import SimpleNamespace

import pytest

from minigr.program.cuda_phases import Phase, steer
from minigr.program.cuda_text import CudaText


def as_python(lines):
    """The steering lines of a phase, whose form is that of C, as Python."""
    found, depth = [], 0
    for line in map(str.strip, lines):
        if line.startswith("}"):
            depth -= 1
        if line.startswith("if (") and line.endswith(") {"):
            found.append("    " * depth + f"if {line[4:-3]}:")
            depth += 1
        elif line == "} else {":
            found.append("    " * depth + "else:")
            depth += 1
        elif line != "}":
            assert line.endswith(";"), line
            found.append("    " * depth + line[:-1])
        assert depth >= 0, lines
    assert depth == 0, lines
    return "\n".join(found)


class Step:
    """A step of a program whose operators write to a log; `set_by` says which words a phase leaves for its steering."""

    def __init__(self, phases, set_by):
        self.phases, self.set_by, self.log = phases, set_by, []
        self.control = {"PHASE": 0}

    def run(self):
        """One step: what is done, in order, up to the end of the step."""
        turns = dict.fromkeys(range(len(self.phases)), 0)
        names = {"control": self.control, "log": self.log.append, "true": True}
        names |= {f"WORD_{word}": word for word in ("PHASE", "HUBS", "PULL", "DRAWING")}
        while "end of step" not in self.log:
            number = self.control["PHASE"]
            self.log += self.phases[number].lines
            changes = self.set_by.get(number, [{}])
            self.control.update(changes[min(turns[number], len(changes) - 1)])
            turns[number] += 1
            assert sum(turns.values()) < 20, self.log
            exec(as_python(steer(self.phases, number, ["log('end of step');"])), names)
        assert self.control["PHASE"] == 0
        return self.log


def phases_of(write):
    text = CudaText(SimpleNamespace(debug=False))
    write(text)
    return text._phases


HUBS = "control[WORD_HUBS] != 0"
PULL = "control[WORD_PULL] != 0"


def one(text):
    text.body(["work"])


def with_hubs(text):
    text.body(["push"], (HUBS, ["hubs"]))
    text.completion(["log('end of push');", "control[WORD_HUBS] = 0;"])


def either_direction(text):
    text.body(["push or mark"], (PULL, ["pull"]), (HUBS, ["hubs"]))
    text.completion(["log('end of advance');", "control[WORD_HUBS] = 0;"])


def near_far(text):
    text.body(["split"])
    text.completion(["log('begin draw');"])
    text.repeat("DRAWING", ["draw"], ["log('turn piles');", "log('begin draw');"])


def near_far_and_more(text):
    near_far(text)
    text.completion(["log('drawn');"])


def marked_pull(text):
    text.body(["mark"], ("true", ["pull"]))
    text.completion(["log('end of pull');"])


def two(text):
    with_hubs(text)
    text.body(["compute"])
    text.completion(["log('end of compute');"])


def four(text):
    either_direction(text)
    text.body(["filter"])
    near_far(text)
    text.body(["compute"])


END = "end of step"


@pytest.mark.parametrize(
    ("write", "set_by", "expected"),
    [
        (one, {}, ["work", END]),
        (with_hubs, {0: [{"HUBS": 0}]}, ["push", "end of push", END]),
        (with_hubs, {0: [{"HUBS": 3}]}, ["push", "hubs", "end of push", END]),
        (either_direction, {0: [{"PULL": 0, "HUBS": 0}]}, ["push or mark", "end of advance", END]),
        (either_direction, {0: [{"PULL": 0, "HUBS": 1}]}, ["push or mark", "hubs", "end of advance", END]),
        (either_direction, {0: [{"PULL": 1, "HUBS": 0}]}, ["push or mark", "pull", "end of advance", END]),
        (either_direction, {0: [{"PULL": 1, "HUBS": 1}]}, ["push or mark", "pull", "hubs", "end of advance", END]),
        (marked_pull, {}, ["mark", "pull", "end of pull", END]),
        (near_far, {0: [{"DRAWING": 0}]}, ["split", "begin draw", END]),
        (
            near_far,
            {0: [{"DRAWING": 1}], 1: [{"DRAWING": 1}, {"DRAWING": 0}]},
            ["split", "begin draw", *2 * ["draw", "turn piles", "begin draw"], END],
        ),
        (near_far_and_more, {0: [{"DRAWING": 0}]}, ["split", "begin draw", "drawn", END]),
        (
            near_far_and_more,
            {0: [{"DRAWING": 1}], 1: [{"DRAWING": 1}, {"DRAWING": 0}]},
            ["split", "begin draw", *2 * ["draw", "turn piles", "begin draw"], "drawn", END],
        ),
        (two, {0: [{"HUBS": 0}]}, ["push", "end of push", "compute", "end of compute", END]),
        (two, {0: [{"HUBS": 1}]}, ["push", "hubs", "end of push", "compute", "end of compute", END]),
        (
            four,
            {0: [{"PULL": 1, "HUBS": 0}], 4: [{"DRAWING": 1}], 5: [{"DRAWING": 0}]},
            [
                *("push or mark", "pull", "end of advance", "filter", "split", "begin draw"),
                *("draw", "turn piles", "begin draw", "compute", END),
            ],
        ),
        (
            four,
            {0: [{"PULL": 0, "HUBS": 1}], 4: [{"DRAWING": 0}]},
            ["push or mark", "hubs", "end of advance", "filter", "split", "begin draw", "compute", END],
        ),
    ],
)
def test_order(write, set_by, expected):
    step = Step(phases_of(write), set_by)
    assert step.run() == expected
    step.log = []
    assert step.run() == expected  # the next step begins again


def test_a_completion_belongs_to_its_operator():
    phases = phases_of(four)
    assert [phase.first for phase in phases] == [True, False, False, True, True, True, True]
    assert [bool(phase.end) for phase in phases] == [True, False, False, False, True, False, False]
    assert [phase.again for phase in phases] == [False] * 5 + [True, False]


def test_the_end_of_an_operator_sees_what_its_last_phase_left():
    """The choice of a direction, for one, which a later operator's condition may depend on."""
    phases = [
        Phase(["first"], end=["control[WORD_PULL] = 1;"]),
        Phase(["second"]),
        Phase(["pull"], when=PULL, first=False),
    ]
    step = Step(phases, {1: [{}]})
    step.control["PULL"] = 0
    assert step.run() == ["first", "second", "pull", END]
