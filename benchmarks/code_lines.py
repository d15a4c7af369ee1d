"""Count lines of code of each operator and app, without blank lines, comments and docstrings.

python benchmarks/code_lines.py [FILE...]        by default a table of the operators and one of the apps

An operator has three files: its options, checks and the lines that it writes into a program (``.py``), its CPU kernel
and its CUDA kernel. Files that several operators share are listed below the operators. The table also has the number of
lines of Mini-Gunrock for the same operator, which has only a CUDA kernel.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from pathlib import Path

from minigr.cli.console import print_table

PACKAGE = Path(__file__).resolve().parents[1] / "minigr"
MINI_GUNROCK = {"advance": 47, "filter": 21, "neighbor_reduce": 49}
KERNELS = {"compute": "items", "filter": "items", "neighbor_reduce": "reduce"}  # files that are not named as operators
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


def lines_of(path: Path) -> int:
    """Lines of code of a Python file or a CUDA header."""
    return (python_lines if path.suffix == ".py" else cuda_lines)(path.read_text())


def kernel(operator: str, ending: str) -> Path | None:
    """The file of an operator's kernel, None if the operator has no kernel of its own."""
    for stem in (operator, KERNELS.get(operator)):
        path = PACKAGE / "operators" / f"{stem}{ending}"
        if path.exists():
            return path
    return None


def operators() -> None:
    """Print the table of operators, then the files that operators share."""
    from minigr.operators.recorders import RECORDERS

    users: dict[Path, list[str]] = {}
    rows = []
    for operator in RECORDERS:
        files = [PACKAGE / "operators" / f"{operator}.py", kernel(operator, "_cpu.py"), kernel(operator, ".cuh")]
        for path in filter(None, files):
            users.setdefault(path, []).append(operator)
        rows.append([operator, *(path and lines_of(path) for path in files), MINI_GUNROCK.get(operator)])
    print_table(["operator", "options", "CPU kernel", "CUDA kernel", "Mini-Gunrock"], rows)
    for path, names in users.items():
        if len(names) > 1:
            print(f"{path.name} is the kernel of {' and '.join(names)}, counted for each")
    rest = sorted(path for pattern in ("[!_]*.py", "*.cuh") for path in (PACKAGE / "operators").glob(pattern))
    print_table(["shared by operators", "lines"], [[path.name, lines_of(path)] for path in rest if path not in users])


def apps() -> None:
    """Print the table of apps: a row for each file, except those of answers that follow a dynamic graph."""
    files = {path.relative_to(PACKAGE / "apps").with_suffix(""): path for path in (PACKAGE / "apps").rglob("[!_]*.py")}
    rows = [[str(name), lines_of(path)] for name, path in sorted(files.items()) if name.parts[0] != "dynamic"]
    print_table(["app", "lines"], rows)


def main() -> None:
    if len(sys.argv) > 1:
        print_table(["file", "lines"], [[name, lines_of(Path(name))] for name in sys.argv[1:]])
        return
    operators()
    apps()


if __name__ == "__main__":
    main()
