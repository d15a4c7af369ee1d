"""What every page about a paper has: features, claims, exhibits, and the tables of what was measured."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any

from page_parts import RESULTS, document, found, link, machine, short, table

from minigr.bench.papers.registry import PAPERS as EXHIBITS
from minigr.cli.bench_tables import show_paper
from minigr.cli.console import markdown_tables

CLAIMS = "papers.json"
UP = "../.."
"""The root, as seen from the pages."""
NOT_MEASURED = "not measured yet"
_SCRIPT = "benchmarks/paper_pages.py"


@dataclass(frozen=True)
class Feature:
    """Something that a system has: theirs, ours (a public name), and what is to be said about the two."""

    theirs: str
    ours: str
    remark: str = ""


@dataclass(frozen=True)
class Claim:
    """Something that a paper claims, or that its code does: theirs, ours with the file, and why they differ."""

    theirs: str
    ours: str
    why: str


@dataclass(frozen=True)
class Page:
    """A page about a paper.

    Attributes
    ----------
    name : str
        Of the paper, as in ``minigr bench paper``.
    title : str
    intro : str
        What the paper is, and what minigr took from it.
    features : sequence of Feature
    claims : sequence of Claim
    came_out : str
        Tables of other files than those of ``minigr bench paper``, with what is to be said about them.
    slower : sequence of str
        Each number of those files in which theirs is better.
    elsewhere : mapping of str to sequence of str
        The files that hold an exhibit, or some of it, by the exhibit's name.
    """

    name: str
    title: str
    intro: str
    features: Sequence[Feature]
    claims: Sequence[Claim]
    came_out: str
    slower: Sequence[str]
    elsewhere: Mapping[str, Sequence[str]] = field(default_factory=dict)


def said(name: str, **key: str) -> str:
    """A number that the paper says, with what it was read in."""
    key = {"paper": name, **key}
    number = found(CLAIMS, **key)
    assert number is not None, key
    return f"{number:g}"


def own_rows(name: str) -> list[dict[str, Any]]:
    """All that was read of a paper."""
    return [row for row in document(CLAIMS)["rows"] if row["key"]["paper"] == name]


def readings(name: str) -> str:
    """Where the paper's own numbers were read."""
    places = dict.fromkeys((row["where"], row["read"]) for row in own_rows(name))
    return "\n".join(f"- {where}: {read}" for where, read in places)


def card(name: str) -> str | None:
    """The card that the paper measures on; None where nothing that was read names it."""
    return next((row["card"] for row in own_rows(name) if row["card"]), None)


def unread(name: str) -> str:
    """What is missing of the paper's own numbers, and the card that they are of."""
    tables = any(row["where"].startswith("table") for row in own_rows(name))
    missing = (
        "Of its other tables and of its figures the text could not be read, so their numbers do not stand here."
        if tables
        else "The text of its tables and figures could not be read, so none of their numbers stand here."
    )
    measured_on = "" if card(name) is None else f"The paper's card is an NVIDIA {card(name)}. "
    return (
        f"{measured_on}{missing} Their titles below are in other words than the paper's. Where it was not sure which "
        "of them holds what, several stand together; check the paper before you cite one by its number."
    )


def between(ratios: Sequence[float]) -> str:
    """The least and the greatest of some ratios.

    Examples
    --------
    >>> between([1.5, 3.21, 2])
    '1.5 to 3.21'
    """
    return f"{short(min(ratios))} to {short(max(ratios))}"


def measured(name: str) -> dict[str, str]:
    """The file of `minigr bench paper` that holds each exhibit of a paper; of several the last by name."""
    files = {}
    for path in sorted(RESULTS.glob("*.json")):
        content = document(path.name)
        if content.get("bench") == "paper" and content["settings"]["paper"] == name:
            files |= dict.fromkeys((row["key"]["exhibit"] for row in content["rows"]), path.name)
    return files


def exhibited(name: str, exhibit: str, **key: str) -> tuple[float, str] | None:
    """The median of a row of an exhibit, and the file that holds it; None if it was not measured."""
    file = measured(name).get(exhibit)
    value = found(file, exhibit=exhibit, **key) if file else None
    return None if value is None else (value, file)


def exhibits(page: Page) -> str:
    """A row for each exhibit: what answers it, and where it was measured or how to measure it."""
    files = measured(page.name)
    lines = []
    for exhibit in EXHIBITS[page.name].exhibits:
        command = f"`minigr bench paper {page.name} {exhibit.name} --device cuda`"
        own, others = files.get(exhibit.name), page.elsewhere.get(exhibit.name, ())
        if own is not None:
            where = f"{link(own, UP)}: {command}"
        elif others:
            where = f"in part, {', '.join(link(name, UP) for name in others)}; the whole: {command}"
        else:
            where = f"{NOT_MEASURED}: {command}"
        lines.append([exhibit.title, exhibit.answer, where])
    return table(["theirs", "here", "measured"], lines)


def tables(page: Page) -> str:
    """The tables of the exhibits that were measured, as ``minigr bench show --markdown`` prints them."""
    parts = []
    files = measured(page.name)
    for name in dict.fromkeys(files.values()):
        content = document(name)
        rows = [row for row in content["rows"] if files[row["key"]["exhibit"]] == name]
        text = io.StringIO()
        with redirect_stdout(text), markdown_tables():
            show_paper(rows, content["settings"])
        parts.append(f"{link(name, UP)}; {machine(name)}.\n\n{text.getvalue().strip()}")
    return "\n\n".join(parts)


def paragraph(text: str) -> str:
    """Text in lines of at most 120 characters."""
    return textwrap.fill(" ".join(text.split()), 120, break_long_words=False, break_on_hyphens=False)


def page_text(page: Page) -> str:
    """The whole page."""
    features = table(["theirs", "here", "remark"], [[each.theirs, each.ours, each.remark] for each in page.features])
    claims = table(["theirs", "here", "why they differ"], [[each.theirs, each.ours, each.why] for each in page.claims])
    parts = [
        f"# {page.title}",
        paragraph(page.intro),
        paragraph(
            f"Every measured number here is taken from a file in `benchmarks/results`, by `{_SCRIPT}`; none is typed, "
            "and a test fails if the page and the files differ."
        ),
        "## What the paper has, and what minigr has",
        features,
        "## What the paper claims, and what came out",
        claims,
        paragraph(
            "The paper's own numbers are those that could be read in a public place, which the file "
            f"{link(CLAIMS, UP)} names for each:"
        ),
        readings(page.name),
        paragraph(unread(page.name)),
        "## Tables and figures",
        exhibits(page),
        paragraph(
            "Give graphs with `--graph`; without it, synthetic graphs are measured. See [the page on "
            "benchmarks](../bench.md#paper)."
        ),
        "## What came out",
        page.came_out,
        tables(page),
        "## Where minigr is slower",
        "\n".join(f"- {line}" for line in page.slower) or "Nowhere in these files.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"
