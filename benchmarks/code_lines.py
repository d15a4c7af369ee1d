"""Lines of code of each operator and app: without blank lines, comments and docstrings.

python benchmarks/code_lines.py [FILE...]        by default the apps and operators
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "minigr"
_NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def python_lines(text: str) -> int:
    """Lines of Python that hold a token of code."""
    documented = set()
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            documented.update(range(body[0].lineno, (body[0].end_lineno or 0) + 1))
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - documented)


def cuda_lines(text: str) -> int:
    """Lines of a header that are not blank and not comments; the headers have no block comments."""
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))


def main() -> None:
    files = [Path(name) for name in sys.argv[1:]]
    files = files or sorted(
        [*PACKAGE.glob("apps/*.py"), *PACKAGE.glob("operators/*.py"), *PACKAGE.glob("operators/*.cuh")]
    )
    for path in files:
        count = (python_lines if path.suffix == ".py" else cuda_lines)(path.read_text())
        print(f"{count:5}  {path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path}")


if __name__ == "__main__":
    main()
