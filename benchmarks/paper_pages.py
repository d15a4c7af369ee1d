"""Make docs/papers/ from the files in benchmarks/results/, so that no number on these pages is typed.

    python benchmarks/paper_pages.py

writes the pages. tests/docs/test_paper_pages.py fails if a page differs from the output of this script.
"""

from __future__ import annotations

import paper_meerkat
import paper_mini_gunrock
import paper_slabgraph
import paper_swarmgraph
from page_parts import ROOT
from paper_page import page_text

FOLDER = ROOT / "docs" / "papers"
PAGES = {
    "mini-gunrock": paper_mini_gunrock.page,
    "slabgraph": paper_slabgraph.page,
    "swarmgraph": paper_swarmgraph.page,
    "meerkat": paper_meerkat.page,
}
"""For each paper, by name, the function that makes its page."""


def texts() -> dict[str, str]:
    """The text of each page."""
    return {name: page_text(page()) for name, page in PAGES.items()}


def file_of(name: str) -> str:
    """The name of a paper's page."""
    return f"{name.replace('-', '_')}.md"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in texts().items():
        (FOLDER / file_of(name)).write_text(text)
