"""The common parts of pages about papers: features, claims, exhibits, and tables of measurements."""

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
"""The path from the pages to the root."""
NOT_MEASURED = "not measured yet"
_SCRIPT = "benchmarks/paper_pages.py"


@dataclass(frozen=True)
class Feature:
    """A feature of a system: its name there, its name in minigr (a public name), and a remark."""

    theirs: str
    ours: str
    remark: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim of a paper or a property of its code, the same of minigr with the file, and why they differ."""

    theirs: str
    ours: str
    why: str


@dataclass(frozen=True)
class Page:
    """A page about a paper.

    Attributes
    ----------
    name : str
        The name of the paper, as in ``minigr bench paper``.
    title : str
    intro : str
        What the paper is about, and what minigr took from it.
    features : sequence of Feature
    claims : sequence of Claim
    came_out : str
        Tables from other files than those of ``minigr bench paper``, with remarks.
    slower : sequence of str
        Each number of those files in which the other system is better.
    elsewhere : mapping of str to sequence of str
        For the name of an exhibit, the files that hold it or a part of it.
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
    """A number from the paper, with the place that it was read from."""
    key = {"paper": name, **key}
    number = found(CLAIMS, **key)
    assert number is not None, key
    return f"{number:g}"


def own_rows(name: str) -> list[dict[str, Any]]:
    """All numbers that were read from a paper."""
    return [row for row in document(CLAIMS)["rows"] if row["key"]["paper"] == name]


def readings(name: str) -> str:
    """The places that the paper's own numbers were read from."""
    places = dict.fromkeys((row["where"], row["read"]) for row in own_rows(name))
    return "\n".join(f"- {where}: {read}" for where, read in places)


def card(name: str) -> str | None:
    """The GPU of the paper's measurements; None if no place that was read names it."""
    return next((row["card"] for row in own_rows(name) if row["card"]), None)


def unread(name: str) -> str:
    """A sentence about the numbers of the paper that could not be read, and the GPU of its numbers."""
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
    """The least and the greatest of the ratios.

    Examples
    --------
    >>> between([1.5, 3.21, 2])
    '1.5 to 3.21'
    """
    return f"{short(min(ratios))} to {short(max(ratios))}"


def measured(name: str) -> dict[str, str]:
    """For each exhibit of a paper, its file of `minigr bench paper`; the last by name if there are several."""
    files = {}
    for path in sorted(RESULTS.glob("*.json")):
        content = document(path.name)
        if content.get("bench") == "paper" and content["settings"]["paper"] == name:
            files |= dict.fromkeys((row["key"]["exhibit"] for row in content["rows"]), path.name)
    return files


def exhibited(name: str, exhibit: str, **key: str) -> tuple[float, str] | None:
    """The median of a row of an exhibit, and its file; None if it was not measured."""
    file = measured(name).get(exhibit)
    value = found(file, exhibit=exhibit, **key) if file else None
    return None if value is None else (value, file)


def exhibits(page: Page) -> str:
    """A table with a row for each exhibit: what minigr measures for it, and where it was or how it can be measured."""
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
    """The tables of the measured exhibits, as ``minigr bench show --markdown`` prints them."""
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
