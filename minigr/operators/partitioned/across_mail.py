"""CUDA text for mail: after an advance, parts send changes to vertices of other parts, and the owners merge them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minigr.operators.advance import Advance
from minigr.operators.partitioned.rules import Rules

if TYPE_CHECKING:
    from minigr.program.cuda_text import CudaText

HAD_NO_ROOM = "(control[WORD_CHANGED] >= (i64)NO_ROOM)"
_BETTER = {"atomic_min": "<", "atomic_max": ">"}
_COMBINED = {"atomic_or": "|", "atomic_add": "+"}


class Mail:
    """Writes this text for one program.

    Parameters
    ----------
    text : CudaText
    meets : Across
        The exchange between the parts of the program's plan.
    """

    def __init__(self, text: CudaText, meets: Any) -> None:
        self._text, self._meets = text, meets

    def is_sent_at_once(self, node: Advance) -> bool:
        """Whether a push sends a vertex to its owner as soon as it has claimed the vertex."""
        return bool(self._meets.sends_at_once(self._rules(node)))

    def is_taken_late(self, node: Advance) -> bool:
        """Whether the next step may begin with the mail of this step, which saves a barrier of all parts.

        The advance must be the whole step, or its vertices must go straight into a split that ends the step.
        """
        plan, last = self._text.plan, node if node.split is None else node.split
        alone = plan.nodes == [node] if last is node else plan.nodes == [node, last]
        (*others, only) = plan.frontiers
        begins = not others and only.input == node.input and only.slot == last.index
        at_once = self.is_sent_at_once(node) and is_one_phase(node, self._text.graph)
        return self._meets.mails > 1 and at_once and plan.until is None and alone and begins

    def late_when(self, node: Advance) -> str:
        """The condition under which the next step begins with the mail, for the end of a step's first phase.

        There is a next step if the output has a vertex and the budget is not used up. The work of the next step can be
        estimated without the mail if the output has more vertices than there are warps that sent mail.
        """
        length = self._text.length_word((node.split or node).index)
        sent = f"control[WORD_CHANGED] != 0 && control[WORD_CHANGED] < control[{length}]"
        return f"{sent} && control[WORD_BUDGET] > 1 && control[WORD_PULL] == 0"

    def at_once(self, node: Advance) -> list[str]:
        """The lines that `CudaText.sends` describes."""
        if node.output_kind is None:
            return []
        lines = [f"  if (away) {self._text.buffer(node, 'stamps')}[vertex] = iteration;"]
        if self.is_sent_at_once(node):
            puts = [f"  {line}" for line in self._puts_along(self._rules(node))]
            lines += ["  send_claimed(grid, away, vertex, [&](int q, i64 place) {", *puts, "  });"]
        return [f"const auto send_{node.index} = [&](bool away, i32 vertex) {{", *lines, "};"]

    def _puts_along(self, rules: Rules) -> list[str]:
        """Lines that write the data that is sent along with a vertex to the mail."""
        return [f"  {self._place(name)}[place] = f_{name}[vertex];" for name in self._meets.go_along(rules)]

    def sent(self, node: Advance) -> list[str]:
        """Lines that run after an advance. They look at all ghosts, and send the ghosts that the advance changed."""
        rules = self._rules(node)
        sent, bits, puts = self._meets.sent(rules), [], []
        for number, name in enumerate(sent, start=1):
            held = f"({self._text.field_type(name)})0" if rules.writes[name] == "atomic_add" else f"known_{name}[i]"
            bits.append(f"  bits |= (u32)differ(f_{name}[vertex], {held}) << {number};")
            puts += [f"  {self._place(name)}[place] = f_{name}[vertex];", f"  f_{name}[vertex] = {held};"]
        puts += self._puts_along(rules)
        out = "0"
        if node.output_kind is not None:
            out = f"{self._text.buffer(node, 'stamps')}[vertex] == iteration"
        return [
            f"if ({self._text.length(node.input)} > 0)",
            "send_ghosts(grid, lists, [&](i64 i, i32 vertex) {",
            f"  u32 bits = {out};",
            *bits,
            "  return bits;",
            "}, [&](i64 i, i32 vertex, int q, i64 place) {",
            *puts,
            "});",
        ]

    def _rules(self, node: Advance) -> Rules:
        rules: Rules = self._meets.rules[node.index]
        return rules

    def _place(self, name: str) -> str:
        return f"grid.across.at<{self._text.field_type(name)}>(q, PEER_mail_{name})"

    def taken(self, node: Advance) -> list[str]:
        """Lines by which an owner reads its mail. Claimed vertices go to the output."""
        by_id = "false"
        if self.is_sent_at_once(node):
            by_id = f"!{HAD_NO_ROOM.replace('control', 'state_of_all()')}"
        return self._taken(node, by_id, [])

    def taken_late(self, node: Advance) -> list[str]:
        """Lines at the beginning of a step that read the mail of the step before, and add vertices to the input."""
        near = "sink" if node.split is None else "sink.near"
        behind = [
            "const i64 begin = grid.word(WORD_INPUT_LENGTH);",
            f"{near}.output = step_input + begin;",
            f"{near}.capacity -= begin;",
            f"{near}.length = WORD_TAKEN;",
        ]
        taken = ["const i32 iteration = (i32)grid.word(WORD_ITERATION) - 1;", *self._taken(node, "true", behind)]
        taken += ["grid.meet_own();", "grid.lengthen_input(WORD_TAKEN);"]
        return ["if (grid.word(WORD_MAIL)) {", *(f"  {line}" for line in taken), "}"]

    def _taken(self, node: Advance, by_id: str, begins: list[str]) -> list[str]:
        """Lines that read mail. `by_id`: argument of `take_mail`; `begins`: lines that change the sink."""
        rules, text = self._rules(node), self._text
        out, counts = "false", []
        if node.split is not None:
            (_, sink), out = node.split.cuda_sink(text, text.buffer(node, "stamps")), "wins"
        else:
            _, sink = text.sink(node)
        if node.output is not None:
            out = f"first_time(grid, {text.buffer(node, 'stamps')}, vertex, iteration)"
            if rules.claim not in self._meets.left:
                out = f"(bits & 1) && {out}"
            elif rules.improves:
                out = f"wins && {out}"
            else:  # the claim holds once, unless the value stored is the expected value
                out = f"wins && (x_{rules.claim} != {rules.decides[1]} || {out})"
        rows, edges = text.rows()
        if node.counts_degrees:
            counts = [f"NextRows<{rows}, true> next{{{edges}}};"]
        return [
            f"auto sink = {sink};",
            *begins,
            *counts,
            "sink.begin();",
            f"take_mail(grid, lists, heads, iteration, {by_id}, "
            "[&](bool has, i64 at, i64 mirror, i32 vertex, u32 bits) {",
            "  bool keep = false;",
            "  if (has) {",
            *(f"    {line}" for line in self._merges(rules)),
            "    grid.across.look_at(vertex, iteration);",
            f"    keep = {out};",
            *["    if (keep) next.put(vertex);" for _ in counts],
            "  }",
            "  sink.push(keep, vertex);",
            "});",
            "sink.end();",
            *["grid.count(0, next.end<false, false>(grid));" for _ in counts],
        ]

    def _merges(self, rules: Rules) -> list[str]:
        """Lines by which an owner merges the changes that a part sent of one vertex, by the rules of `merge_gpu.py`."""
        sent, claim = self._meets.sent(rules), rules.claim
        lines = [f"const {self._text.field_type(name)} x_{name} = load_across(mail_{name} + at);"
                 for name in (*sent, *self._meets.go_along(rules))]  # fmt: skip
        for number, name in enumerate(sent, start=1):
            lines.append(f"const bool has_{name} = bits >> {number} & 1;")
            if rules.writes[name] == "store":
                lines.append(f"const bool taken_{name} = differ(f_{name}[vertex], sent_{name}[mirror]);")
        free, lost, wins = "false", "false", "false"
        if claim in self._meets.left:
            how, *expected = rules.decides
            held = f"f_{claim}[vertex]"
            if rules.improves:
                holds = f"improve<{str(how == 'atomic_min').lower()}>(f_{claim} + vertex, x_{claim})"
            else:
                holds = f"{held} == {expected[0]}"
            lines.append(f"const bool wins = {holds};")
            wins = "wins"
        elif claim:
            how = rules.writes[claim]
            better = f"x_{claim} {_BETTER[how]} f_{claim}[vertex]" if how in _BETTER else f"!taken_{claim}"
            if how in _BETTER or how == "store":
                lines += [f"const bool wins = has_{claim} && {better};", f"const bool loses = has_{claim} && !wins;"]
                wins, lost = "wins", "loses"
                free = "wins" if how in _BETTER else "false"
        for name in sent:
            how, held = rules.writes[name], f"f_{name}[vertex]"
            if how == "store":
                lines.append(f"if ({free} || (has_{name} && !taken_{name} && !{lost})) {held} = x_{name};")
            elif how in _BETTER:
                lines.append(f"if (has_{name} && x_{name} {_BETTER[how]} {held}) {held} = x_{name};")
            else:
                lines.append(f"if (has_{name}) {held} = {held} {_COMBINED[how]} x_{name};")
        stored = [name for name in self._meets.go_along(rules) if name != claim or not rules.improves]
        lines += [f"if ({wins}) f_{name}[vertex] = x_{name};" for name in stored]
        return lines


def is_one_phase(node: Advance, graph: Any) -> bool:
    """Whether a push is done in one phase."""
    assert node.schedule is not None
    return node.schedule.is_one_phase(graph, False)
