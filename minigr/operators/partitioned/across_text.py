"""The text of a CUDA program that several GPUs run together, each over its part of a graph.

After an advance, each part sends its writes to vertices of other parts, and the owners merge them. After each operator
that changes data that other parts read, owners refresh the copies. All parts wait for each other only before a part
reads data that another part sent. Otherwise, the blocks of a part wait only for each other.
"""

from __future__ import annotations

import itertools
import re

from minigr.operators.advance import ARRIVED, Advance
from minigr.operators.partitioned.across_mail import HAD_NO_ROOM, Mail, is_one_phase
from minigr.program.control import STEERING_WORDS, Word
from minigr.program.cuda_phases import Phase
from minigr.program.cuda_text import CudaText
from minigr.program.node import Node
from minigr.program.plan import Plan
from minigr.program.scalar import Scalar

PAGE = 512  # vertices of a page; if lists are long, a part keeps track of the pages that an advance looked at
PEER_COLUMNS = (
    "sync", "inbox", "heads", "first_owned", "ghost_begin", "ghost_end", "mirror_begin", "mirror_end", "refreshed",
)  # fmt: skip
"""The first columns of a part's table about another part: addresses there, and places of its vertices in the lists."""
_LISTS = "const Lists lists{ghosts, mirrors, pages, ghost_pages, mirror_pages, looked_at, refreshed};"
_MEET = "grid.meet_own();"
_ALL_STALE, _SENT = 2, 3
"""Values of WORD_STALE: copies at any vertex are due; owners have sent them, and parts must still copy them to ghosts.

The value 1 says that only copies in pages that the step has looked at are due.
"""
_BEGIN_RUN = """
  static constexpr u64 SHARES = {shares:#x};  // a bit for each phase: whether others read what it writes, besides mail
  static constexpr u64 GOES_ON = {goes_on:#x};  // and whether it adds to the mail of the phase before

  // All threads, before the first step of a run: bring copies up to date that are not, and note what a part begins with
  // at its ghosts, and others at theirs.
  static __device__ __forceinline__ void begin_run(const Grid &grid) {{
{lines}
  }}
"""
_END_OF_STEP = re.compile(r"minigr_end_step\(control, (-?\d+),")
_OF_ALL = ("minigr_begin_draw(", "minigr_choose_direction(")  # these statements change only counters for steering
_STORED = re.compile(r"control\[WORD_(\w+)\] = ")
_STATEMENT = re.compile(r"(minigr_\w+\(|)control(\[\w+\] = |,|\))")


class AcrossText(CudaText):
    """A `CudaText` of a plan with `Plan.across`."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._meets, self._mail = plan.across, Mail(self, plan.across)
        self._going_on: list[Phase] = []  # phases that add to the mail of the phase before
        self._across = (
            ", Across{arguments.peers, (int)arguments.part, (i32)arguments.first_owned, (i32)arguments.end_owned, "
            "arguments.owned, arguments.num_owned, arguments.patience, arguments.looked_at}"
        )

    @property
    def columns(self) -> list[str]:
        """The columns of a part's table about each part, in order: addresses in that part's memory."""
        meets = self._meets
        found = [*PEER_COLUMNS, *(f"mail_{name}" for name in meets.written)]
        found += [f"field_{name}" for name in meets.refreshed] + [f"known_{name}" for name in meets.known]
        found += [f"{of}_roots_{name}" for of in ("ghost", "mirror") for name in meets.joined]
        for node in self.plan.nodes:
            found += [self._partials(node, scalar) for scalar in node.scalar_results]
            found += [self.buffer(node, ARRIVED)] if ARRIVED in node.buffers else []
        return found

    @staticmethod
    def _partials(node: Node, scalar: Scalar) -> str:
        return f"{scalar.partials}_{node.index}"

    def _constants(self) -> list[str]:
        columns = self.columns
        places = [f"#define PEER_{name if number >= len(PEER_COLUMNS) else name.upper()} {number}"
                  for number, name in enumerate(columns)]  # fmt: skip
        sizes = [f"#define PEER_COLUMNS {len(columns)}", f"#define HASHED {int(self._meets.hashed)}"]
        sizes += [
            f"#define WORD_CHANGED {int(Word.CHANGED)}",
            f"#define WORD_STALE {int(Word.STALE)}",
            f"#define WORD_MAIL {int(Word.MAIL)}",
            f"#define WORD_TAKEN {int(Word.TAKEN)}",
            f"#define WORD_SENT {int(Word.SENT)}",
            f"#define MAILS {self._meets.mails}",
            f"#define PAGE {PAGE}",
        ]
        return [*super()._constants(), *places, *sizes]

    def parameters(self) -> list[tuple[str, str]]:
        meets = self._meets
        found = [("const u64 *", "peers"), ("i64", "part"), ("i64", "first_owned"), ("i64", "end_owned")]
        found += [("const i32 *", "owned"), ("i64", "num_owned")]
        found += [("u64", "patience"), ("i64", "stale"), ("u64 *", "heads")]
        found += [("const i32 *", "ghosts"), ("const i32 *", "mirrors")]
        found += [("i64", "pages"), ("i64", "by_list"), ("const i32 *", "ghost_pages"), ("const i32 *", "mirror_pages")]
        found += [("i32 *", "looked_at"), ("i32 *", "refreshed")]
        for prefix, names in (("mail", meets.written), ("known", meets.known), ("sent", meets.refreshed)):
            found += [(f"{self.field_type(name)} *", f"{prefix}_{name}") for name in names]
        for of, what in itertools.product(("ghost", "mirror"), ("roots", "told")):
            found += [(f"{self.field_type(name)} *", f"{of}_{what}_{name}") for name in meets.joined]
        return super().parameters() + found

    def _begin_run(self) -> str:
        meets = self._meets
        ghosts = [f"known_{name}[i] = f_{name}[vertex];" for name in meets.known]
        ghosts += [f"f_{name}[vertex] = 0;" for name in sorted(meets.added)]
        mirrors = [f"sent_{name}[i] = f_{name}[vertex];" for name in meets.refreshed]
        # at first, each vertex is the only known root of itself
        for of, stores in (("ghost", ghosts), ("mirror", mirrors)):
            stores += [f"{of}_roots_{name}[i] = {of}_told_{name}[i] = vertex;" for name in meets.joined]
        lines = [f"const auto {name} = arguments.{name};" for _, name in self.parameters() if name != "control"]
        lines += self._brings_stale() if meets.refreshed else []
        for of, stores in (("ghost", ghosts), ("mirror", mirrors)):
            if stores:
                lines += [
                    f"const i64 {of}_count = grid.across.number(PARTS - 1, PEER_{of.upper()}_END);",
                    f"for (i64 i = grid.thread(); i < {of}_count; i += grid.threads()) {{",
                    f"  const i32 vertex = {of}s[i];",
                    *(f"  {store}" for store in stores),
                    "}",
                ]
        shares = sum(1 << number for number, phase in enumerate(self._phases) if phase.fold or _shares(phase.lines))
        going_on = {id(phase) for phase in self._going_on}
        goes_on = sum(1 << number for number, phase in enumerate(self._phases) if id(phase) in going_on)
        return _BEGIN_RUN.format(shares=shares, goes_on=goes_on, lines="\n".join("    " + line for line in lines))

    def _brings_stale(self) -> list[str]:
        """Lines that update the copies at ghosts of the refreshed fields whose bits are in ``stale``."""
        sent, brought = [], []
        for number, name in enumerate(self._meets.refreshed):
            there = f"grid.across.at<{self.field_type(name)}>(q, PEER_known_{name})[i - begin]"
            sent.append(f"if (stale >> {number} & 1) {there} = f_{name}[vertex];")
            brought.append(f"if (stale >> {number} & 1) f_{name}[vertex] = load_across(known_{name} + i);")
        return [
            "if (stale != 0) {",
            "  for (int q = 0; q < PARTS; q++) {",
            "    if (q == part) continue;",
            "    const i64 begin = grid.across.number(q, PEER_MIRROR_BEGIN);",
            "    const i64 end = grid.across.number(q, PEER_MIRROR_END);",
            "    for (i64 i = begin + grid.thread(); i < end; i += grid.threads()) {",
            "      const i32 vertex = mirrors[i];",
            *[f"      {line}" for line in sent],
            "    }",
            "  }",
            "  grid.meet<Program>();",
            "  const i64 count = grid.across.number(PARTS - 1, PEER_GHOST_END);",
            "  for (i64 i = grid.thread(); i < count; i += grid.threads()) {",
            "    const i32 vertex = ghosts[i];",
            *[f"    {line}" for line in brought],
            "  }",
            "}",
        ]

    # --- operators ---------------------------------------------------------------------------------------------------

    def write(self, node: Node) -> None:
        begin, rules = len(self._phases), self._meets.rules[node.index]
        super().write(node)
        self.use("operators/partitioned/across.cuh")
        names = self._meets.refreshed_by(rules)
        if isinstance(node, Advance) and self._meets.sends(node):
            self._send(begin, node, names)
            self._take(begin, node, names)
        elif names:
            # other parts may still read the old values
            joins = len(self._phases) == begin + 1 and rules.reads.isdisjoint(names)
            self._add(begin, joins, self._refreshes(names, "true", "pages"))
            self._settle(names, "arguments.pages != 0")
        if rules.joins:
            self._join_together(begin, sorted(rules.joins))

    def _send(self, begin: int, node: Advance, names: list[str]) -> None:
        """Add the sending of mail after an advance that begins with phase `begin` and changes the fields `names`."""
        sends = self._pushed(node, [*self._mail.sent(node), *self._notes(names)])
        if self._mail.is_sent_at_once(node):
            self._going_on += [] if is_one_phase(node, self.graph) else self._phases[begin + 1 :]
            # In some steps, more vertices are sent than there are ghosts. Then each changed ghost is sent again, once.
            self._phases.append(Phase([_LISTS, *sends], when=HAD_NO_ROOM, first=False))
        else:
            when = "control[WORD_PULL] == 0" if node.counts_degrees else ""
            self._add(begin, is_one_phase(node, self.graph), sends, when)

    def _take(self, begin: int, node: Advance, names: list[str]) -> None:
        """Add the reading of mail, and the refresh of the copies of vertices that owners changed."""
        takes = self._pushed(node, self._mail.taken(node))
        # Most small steps change no data that other parts know. After a pull, no page has been marked.
        due, pulled = "control[WORD_CHANGED] != 0", "false"
        if self._mail.is_taken_late(node):
            self._take_late(begin, node)
            due = f"({due} && control[WORD_MAIL] == 0)"
        if node.counts_degrees and names:
            due, pulled = f"({due} || control[WORD_PULL] != 0)", "grid.word(WORD_PULL) != 0"
        all_pages = "true" if self._meets.rules[node.index].writes_own else pulled
        waits = bool(names) and self._meets.waiting(node) == {*names}
        at_once = [_MEET, *self._refreshes(names, all_pages, "by_list")] if names else []
        when = due
        if waits:
            at_once = ["if (pages == 0) {", *at_once, "}"]
            when = "(control[WORD_CHANGED] != 0 || (control[WORD_PULL] != 0 && arguments.pages == 0))"
        self._phases.append(Phase([_LISTS, *takes, *at_once], when=when, first=False))
        if waits:
            self._refresh_later(begin, node, names, due)
        else:
            self._settle(names, f"{due} && arguments.by_list != 0")
            self.clear(["CHANGED"])

    def _join_together(self, begin: int, names: list[str]) -> None:
        """Add the phases in which parts tell each other the roots of vertices that both know, and join the sets.

        Two parts are done after one turn, because each part then knows all that the other part's edges say about these
        vertices. More parts continue until no part has anything new to tell.
        """
        tells, hears = [], []
        for name in names:
            kind, dtype = self.field_type(name), self.plan.problem._dtypes[name]
            for own, other in (("ghost", "mirror"), ("mirror", "ghost")):
                list_of, end = f"grid, {own}s, f_{name}", f"PEER_{own.upper()}_END"
                tells += [
                    f"tell_roots({list_of}, {own}_told_{name}, {own}_roots_{name}, PEER_{own.upper()}_BEGIN, {end}, "
                    f"PEER_{other}_roots_{name}, [&](i64 i, i32 vertex) {{",
                    f"  minigr_tell_root_{dtype}(f_{name}, {own}_told_{name}, i, vertex);",
                    "});",
                ]
                hears += [
                    f"hear_roots({list_of}, {own}_roots_{name}, {end}, [&](i32 vertex, {kind} root) {{",
                    f"  minigr_hear_root_{dtype}(f_{name}, vertex, root);",
                    "});",
                ]
        told = ["control[WORD_MAIL] = control[WORD_CHANGED] != 0;", "control[WORD_CHANGED] = 0;"]
        self._add(begin, len(self._phases) == begin + 1, tells)
        self._phases[-1].complete += told
        again = self._meets.num_parts > 2
        lines, complete = ([*hears, _MEET, *tells], told) if again else (hears, ["control[WORD_MAIL] = 0;"])
        self._phases.append(Phase(lines, when="control[WORD_MAIL] != 0", again=again, first=False, complete=complete))

    def _take_late(self, begin: int, node: Advance) -> None:
        """Make the first phase begin with the mail of the last step, and decide whether the next step does so too."""
        phase = self._phases[begin]
        phase.lines[:0] = ["{", _LISTS, *self._mail.taken_late(node), "}"]
        phase.complete += [f"control[WORD_MAIL] = {self._mail.late_when(node)};", "control[WORD_TAKEN] = 0;"]

    def _add(self, begin: int, joins: bool, lines: list[str], when: str = "") -> None:
        """Add lines that come after all other lines of an operator that begins with phase `begin`.

        `when`: the condition under which the lines have an effect; empty: always. If the lines join that phase
        (`joins`), the blocks of the grid need not wait for the blocks of other grids.
        """
        if joins:
            self._phases[begin].lines += ["{", _MEET, _LISTS, *lines, "}"]
        else:
            self._phases.append(Phase([_LISTS, *lines], when=when, first=False))

    def _refresh_later(self, begin: int, node: Advance, names: list[str], due: str) -> None:
        """Add the phases in which other parts learn of changes before the next push, if lists are long.

        A pull does not read the copies, and often a pull follows. The phases come after the end of the operator, where
        the direction of its next step is chosen. `due`: whether this step may have changed data that other parts know.
        """
        everything = "true" if self._meets.rules[node.index].writes_own else "control[WORD_PULL] != 0"
        stale = f"{due} ? {everything} ? {_ALL_STALE} : 1 : 0"
        self._phases[begin].end.insert(0, f"control[WORD_STALE] = max(control[WORD_STALE], (i64)({stale}));")
        self.clear(["CHANGED"])
        goes_on = f"control[{self.length_word(node.index)}] != 0"
        pushes = f"arguments.pages != 0 && control[WORD_STALE] != 0 && control[WORD_PULL] == 0 && {goes_on}"
        refreshes = self._refreshes(names, f"grid.word(WORD_STALE) == {_ALL_STALE}", "by_list")
        sent = [f"control[WORD_STALE] = arguments.by_list != 0 ? {_SENT} : 0;"]
        self._phases.append(Phase([_LISTS, *refreshes], when=pushes, complete=sent))
        self._settle(names, f"control[WORD_STALE] == {_SENT}")
        self._phases[-1].complete.append("control[WORD_STALE] = 0;")

    def _settle(self, names: list[str], when: str) -> None:
        """Add the phase that copies elements stored in list order to the ghosts; no phase without `names`."""
        lines = [_LISTS]
        for name in names:
            store = f"f_{name}[vertex] = load_across(known_{name} + i);"
            lines.append(f"settle_ghosts(grid, lists, {self._number(name)}, [&](i64 i, i32 vertex) {{ {store} }});")
        if names:
            self._phases.append(Phase(lines, when=when, first=False))

    def _number(self, name: str) -> int:
        """The position of a field among the refreshed fields."""
        return self._meets.refreshed.index(name)

    @staticmethod
    def _pushed(node: Advance, lines: list[str]) -> list[str]:
        """Lines that only a push runs: in a pull, a part writes only to its own vertices."""
        return ["if (!grid.word(WORD_PULL)) {", *lines, "}"] if node.counts_degrees else ["{", *lines, "}"]

    def sends(self, node: Node) -> list[str]:
        return self._mail.at_once(node) if isinstance(node, Advance) else []

    def shared_bits(self, node: Node) -> tuple[list[str], list[str]]:
        arrived = self.buffer(node, ARRIVED)
        each = "for (i64 i = grid.thread(); i < words; i += grid.threads()) {"
        send = [
            "for (int q = 0; q < PARTS; q++) {",
            "  if (q == part) continue;",
            f"  u64 *there = grid.across.at<u64>(q, PEER_{arrived}) + part * words;",
            f"  {each}",
            "    there[i] = bits[i];",
            "  }",
            "}",
        ]
        take = [
            each,
            "  u64 all = bits[i];",
            "  for (int q = 0; q < PARTS; q++)",
            f"    if (q != part) all |= load_across((const u64 *){arrived} + q * words + i);",
            "  bits[i] = all;",
            "}",
            _MEET,
        ]
        return send, take

    def _notes(self, names: list[str]) -> list[str]:
        """Lines that note a change if vertices changed whose fields other parts know."""
        differs = " || ".join(f"differ(f_{name}[vertex], sent_{name}[i])" for name in names)
        return [f"note_mirrors(grid, lists, [&](i64 i, i32 vertex) {{ return {differs}; }});"] if names else []

    def _refreshes(self, names: list[str], all_pages: str, by_list: str) -> list[str]:
        """Lines that send changes to other parts; `all_pages`: also in pages that no advance looked at.

        `by_list`: whether a part itself copies elements that are stored in list order to its ghosts.
        """
        refresh = f"refresh_mirrors<{len(self._meets.refreshed)}>"
        lines = [f"{refresh}(grid, lists, {all_pages}, [&](i64 i, i32 vertex, int q, i64 place) {{"]
        lines += ["  u32 changed = 0;"]
        for name in names:
            kind = self.field_type(name)
            lines += [
                f"  if (const {kind} x = f_{name}[vertex]; differ(x, sent_{name}[i])) {{",
                f"    sent_{name}[i] = x;",
                f"    grid.across.at<{kind}>(q, PEER_known_{name})[place] = x;",
                f"    if ({by_list} == 0) grid.across.at<{kind}>(q, PEER_field_{name})[vertex] = x;",
                f"    changed |= 1u << {self._number(name)};",
                "  }",
            ]
        return [*lines, "  return changed;", "});"]

    # --- steering ----------------------------------------------------------------------------------------------------

    def _folded(self, node: Node, scalar: Scalar, arguments: str) -> str:
        self.use("operators/partitioned/across.cuh")
        return f"fold_across(grid, PEER_{self._partials(node, scalar)}, arguments.most_blocks, {arguments});"

    def _completion_of(self, number: int) -> list[str]:
        """Run each statement on the counts of all grids and on the counts of this grid; the counts of all grids decide.

        The words that steer are copied from the block of all grids to each grid afterwards, except for the length of
        the input. A statement that changes only these words is run only for all grids, because the whole block waits
        for the thread that runs it.
        """
        lines = []
        for line in super()._completion_of(number):
            lines.append(line)
            statement = line.strip()
            if ended := _END_OF_STEP.match(statement):
                length = ended.group(1)
                lines += [] if length == "-1" else [f"own[WORD_INPUT_LENGTH] = own[{length}];"]
            elif _STATEMENT.match(statement) and not (_steers(statement) or statement.startswith(_OF_ALL)):
                lines.append(line.replace("control", "own"))
        return lines


def _shares(lines: list[str]) -> bool:
    """Whether a phase stores in the memory of other grids, besides their mail: then it names a column of the table."""
    return any("PEER_" in line and "PEER_mail_" not in line for line in lines)


def _steers(statement: str) -> bool:
    """Whether a statement stores a word that steers."""
    word = _STORED.match(statement)
    return word is not None and Word[word.group(1)] < STEERING_WORDS
