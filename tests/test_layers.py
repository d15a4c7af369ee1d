"""Imports only go down, from layer to layer and from file to file; also those for types and in functions."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import minigr

PACKAGE = Path(minigr.__file__).parent
LAYERS = (
    "",  # files at the top of the package: errors, devices, memory, and other basics
    "jit",
    "primitives",
    "graphs",
    "io",
    "generate",
    "distributed",
    "program",
    "schedules",
    "operators",
    "enactor",
    "apps",
    "batch",
    "calls",
    "prepare",
    "bench",
    "plot",
    "networkx",
    "cli",
)
"""The layers from the bottom to the top. A file imports only from its own layer and from layers below."""
ABOVE_ALL = {"minigr", "minigr.__main__"}
"""The modules that users import and start. The namespace of the package loads other modules when they are used."""


def modules(root: Path) -> dict[str, ast.Module]:
    """Every module below a package's folder, by its dotted name."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = ast.parse(path.read_text())
    return found


def imports(tree: ast.Module, known: set[str]) -> Iterator[str]:
    """The modules among `known` that a module imports anywhere in its text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "a relative import"
            for each in node.names:
                whole = f"{node.module}.{each.name}"
                if whole in known:
                    yield whole
                elif node.module in known:
                    yield node.module


def arrows_of(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """The imports of each module."""
    return {name: set(imports(tree, set(trees))) - {name} for name, tree in trees.items()}


@cache
def package() -> dict[str, set[str]]:
    """The imports of each module of the package; tests must not change it."""
    return arrows_of(modules(PACKAGE))


def layer_of(module: str, packages: set[str]) -> str:
    """The folder at the top of the package that a module is in."""
    first = module.split(".")[1] if "." in module else ""
    return first if f"minigr.{first}" in packages else ""


def wrong_arrows(arrows: dict[str, set[str]], layers: tuple[str, ...]) -> list[str]:
    """A line about each import that goes up."""
    packages = {name.rpartition(".")[0] for name in arrows} | {name for name in arrows if name.count(".") == 1}
    packages &= {f"minigr.{layer}" for layer in layers}
    rank = {layer: number for number, layer in enumerate(layers)}
    wrong = []
    for name, targets in arrows.items():
        if name in ABOVE_ALL:
            continue
        here = rank[layer_of(name, packages)]
        wrong += [
            f"{name} imports {target}, which stands above it"
            for target in sorted(targets)
            if target not in ABOVE_ALL and rank[layer_of(target, packages)] > here
        ]
    return wrong


def circles(arrows: dict[str, set[str]]) -> list[str]:
    """Modules that import each other, directly or indirectly: each strongly connected component (Tarjan 1972)."""
    order: dict[str, int] = {}
    least: dict[str, int] = {}
    path: list[str] = []
    found = []

    def visit(name: str) -> None:
        order[name] = least[name] = len(order)
        path.append(name)
        for target in sorted(arrows[name]):
            if target not in order:
                visit(target)
                least[name] = min(least[name], least[target])
            elif target in path:
                least[name] = min(least[name], order[target])
        if least[name] == order[name]:
            component = path[path.index(name) :]
            del path[path.index(name) :]
            if len(component) > 1:
                found.append(" and ".join(sorted(component)))

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 20 * len(arrows)))
    try:
        for name in arrows:
            if name not in order:
                visit(name)
    finally:
        sys.setrecursionlimit(limit)
    return found


def folder_circles(arrows: dict[str, set[str]]) -> list[str]:
    """Files and folders in one folder that import each other. A folder stands for all its files."""
    found = []
    for parent in sorted({name[:end] for name in arrows for end, letter in enumerate(name) if letter == "."}):
        inside = {name: name[len(parent) + 1 :].partition(".")[0] for name in arrows if name.startswith(f"{parent}.")}
        graph: dict[str, set[str]] = {child: set() for child in inside.values()}
        for name, child in inside.items():
            graph[child] |= {inside[target] for target in arrows[name] if target in inside} - {child}
        found += [f"in {parent}: {circle}" for circle in circles(graph)]
    return found


def below_the_namespace(arrows: dict[str, set[str]]) -> dict[str, set[str]]:
    """The imports without the package's namespace, because modules that import it use it as users do."""
    return {name: targets - ABOVE_ALL for name, targets in arrows.items() if name not in ABOVE_ALL}


def test_every_folder_has_a_layer():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == set(LAYERS) - {""}


def test_no_import_goes_up():
    assert wrong_arrows(package(), LAYERS) == []


def test_no_files_import_each_other():
    assert circles(below_the_namespace(package())) == []


def test_no_folders_import_each_other():
    """Only the files of `jit/native`, a compiler, are in one order with the files next to their folder."""
    arrows = below_the_namespace(package())
    flat = {name: name.replace("minigr.jit.native.", "minigr.jit.native_") for name in arrows}
    assert folder_circles({flat[name]: {flat[target] for target in targets} for name, targets in arrows.items()}) == []


def test_the_namespace_is_for_those_at_the_top():
    """In lower layers, `import minigr` would hide what a file depends on."""
    users = {name for name, targets in package().items() if targets & ABOVE_ALL and name not in ABOVE_ALL}
    tops = {f"minigr.{layer}" for layer in ("calls", "prepare", "bench", "networkx", "cli")}
    assert {name for name in users if not any(name.startswith(top) for top in tops)} == set()


def test_what_is_wrong_is_found(tmp_path):
    root = tmp_path / "minigr"
    for folder in ("", "jit", "graphs"):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / "__init__.py").write_text("")
    (root / "errors.py").write_text("")
    (root / "jit" / "low.py").write_text(
        "from minigr import errors\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
        "    from minigr.graphs.high import Type\n"
    )
    (root / "graphs" / "high.py").write_text("def later():\n    import minigr.graphs.beside\n")
    (root / "graphs" / "beside.py").write_text("from minigr.graphs import high\nfrom minigr.jit.low import x\n")
    arrows = arrows_of(modules(root))
    assert wrong_arrows(arrows, ("", "jit", "graphs")) == [
        "minigr.jit.low imports minigr.graphs.high, which stands above it"
    ]
    assert circles(arrows) == ["minigr.graphs.beside and minigr.graphs.high and minigr.jit.low"]
    assert folder_circles(arrows) == ["in minigr: graphs and jit", "in minigr.graphs: beside and high"]
    (root / "jit" / "low.py").write_text("from minigr import errors\n")
    arrows = arrows_of(modules(root))
    assert (wrong_arrows(arrows, ("", "jit", "graphs")), circles(arrows)) == (
        [],
        ["minigr.graphs.beside and minigr.graphs.high"],
    )
