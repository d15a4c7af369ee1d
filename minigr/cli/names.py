"""Options with comma-separated names or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click


class NameList(click.ParamType):
    """Comma-separated names, which must be known; each name is kept once."""

    name = "names"

    def __init__(self, known: Sequence[str]):
        self.known = known

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        names = value if isinstance(value, list) else [name.strip() for name in value.split(",")]
        for name in names:
            if name not in self.known:
                self.fail(f"{name!r} is not one of {', '.join(self.known)}", param, ctx)
        return list(dict.fromkeys(names))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """The possible next names."""
        from click.shell_completion import CompletionItem

        *given, last = incomplete.split(",")
        before = "".join(f"{name}," for name in given)
        return [CompletionItem(before + name) for name in self.known if name.startswith(last) and name not in given]


class NumberList(click.ParamType):
    """Comma-separated whole numbers."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        try:
            return value if isinstance(value, list) else [int(number) for number in value.split(",")]
        except ValueError:
            self.fail(f"{value!r} is not a list of whole numbers, such as 10,5", param, ctx)
