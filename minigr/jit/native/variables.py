"""The variables of a function: the type of each variable at each place, where paths part and where they meet."""

from __future__ import annotations

from typing import Any

from minigr.jit.native.code import Code, Known, Value
from minigr.jit.native.types import Unknown, join

_NEVER = object()  # in place of a type: on one path the variable has no value, or a value whose type can't be joined


class Restart(Exception):
    """A type turned out to be wider than it was known to be."""


class Variables(Code):
    """Code with variables. The type of a variable is that of its last assignment, as in Numba.

    Where paths with different types of a variable meet, the variable gets a joint type from there on. This type is
    known only when the last of these paths is translated, so the translation then starts again.

    Parameters
    ----------
    merged : dict
        Types that earlier translations found, by the place where paths meet and the name of the variable.
    strict : bool
        Whether a variable must have a value on every path that leads to a read of it.
    """

    def __init__(self, merged: dict[Any, Any], strict: bool) -> None:
        super().__init__()
        self.merged, self.strict = merged, strict
        self.flow: dict[str, Any] = {}
        self._memory: dict[tuple[str, Any], tuple[str, ...]] = {}
        self._meetings: dict[str, Any] = {}
        self._met: dict[str, dict[str, Any]] = {}
        self._begun: set[str] = set()

    @property
    def has_merged(self) -> bool:
        """Whether paths with different types of a variable meet."""
        return any(kind is not _NEVER for kind in self.merged.values())

    def meeting(self, node: object, hint: str, prefix: str = "") -> str:
        """A label where several paths of a statement may continue.

        `prefix` distinguishes translations of the same statement in several places.
        """
        label = self.label(hint)
        self._meetings[label] = prefix, id(node), hint  # the same in each translation
        return label

    def jump(self, label: str) -> None:
        """End the block with a jump to `label`."""
        if not self.ended:
            self._meet(label)
        super().jump(label)

    def branch(self, condition: str, then: str, otherwise: str, weights: str = "") -> None:
        """End the block with a jump to one of two labels."""
        self._meet(then)
        self._meet(otherwise)
        super().branch(condition, then, otherwise, weights)

    def begin(self, label: str) -> None:
        """Begin a block. The previous block continues there unless it has ended."""
        super().begin(label)
        self._begun.add(label)
        self.flow = dict(self._met.get(label, self.flow))

    def assign(self, name: str, value: Value | Known) -> None:
        """Assign to a variable."""
        if isinstance(value, Known):
            self.flow[name] = value
            return
        self.flow[name] = value.type
        if (name, value.type) not in self._memory:
            self._memory[name, value.type] = tuple(map(self.variable, value.type.parts))
        for part, text, at in zip(value.type.parts, value.parts, self._memory[name, value.type], strict=True):
            self.do(f"store {part} {text}, ptr {at}")

    def local(self, name: str) -> Value | Known | None:
        """The value of a variable, if it has a value here."""
        kind = self.flow.get(name)
        if kind is None and not self.strict:
            kinds = [each for other, each in self._memory if other == name]
            kind = kinds[0] if len(kinds) == 1 else None
        return kind if kind is None or isinstance(kind, Known) else self._loaded(name, kind)

    def _loaded(self, name: str, kind: Any) -> Value:
        places = zip(kind.parts, self._memory[name, kind], strict=True)
        return Value(kind, tuple([self.new(f"load {part}, ptr {at}") for part, at in places]))

    def _meet(self, label: str) -> None:
        """Merge the current variables into those of a label, which other paths may have reached before."""
        place, here = self._meetings.get(label), self.flow
        now = {name: self.merged.get((place, name), kind) for name, kind in here.items()}
        for name, kind in now.items():
            if kind is not here[name] and kind is not _NEVER:
                self.assign(name, self.cast(self._loaded(name, here[name]), kind))
        self.flow = here
        now = {name: kind for name, kind in now.items() if kind is not _NEVER}
        before = self._met.setdefault(label, now)
        widened = False
        for name, kind in list(before.items()):
            found = _joined(kind, now.get(name))
            if found is _NEVER and name not in now and label not in self._begun:
                del before[name]
            elif found is not kind or found is not now[name]:
                self.merged[place, name], widened = found, True
        if widened:
            raise Restart


def _joined(a: Any, b: Any) -> Any:
    if isinstance(a, Known) and isinstance(b, Known) and a.value is b.value:
        return a
    try:
        return join(a, b)
    except Unknown:
        return _NEVER
