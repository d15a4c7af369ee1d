"""What is private in Numba, llvmlite, CuPy, cuda.core and NumPy stands in one module, and these versions have it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import minigr
from minigr.jit import private

PACKAGE = Path(minigr.__file__).parent
PRIVATE = PACKAGE / "jit" / "private.py"
OTHERS = ("cuda", "cupy", "cupyx", "llvmlite", "numba", "numba_cuda", "numpy")
MODULES = {
    *(
        "cuda.bindings",
        "cuda.bindings.driver",
        "cuda.core",
        "cuda.core.graph",
        "cupy",
        "cupy.cuda",
        "cupyx",
        "llvmlite",
    ),
    *("llvmlite.binding", "llvmlite.ir", "numba", "numba.core.cgutils", "numba.core.errors", "numba.cuda"),
    *("numba.extending", "numba.types", "numpy", "numpy.lib.format", "numpy.lib.stride_tricks", "numpy.typing"),
}
"""The modules of theirs that may be imported from."""
NOT_DOCUMENTED = ("cupy.cuda.driver", "llvmlite.binding.ffi", "numba.core", "numba.cpython", "numba.np")
OF_DISPATCHERS = {"fndesc", "llvm_func_name", "overloads", "pipeline_class", "targetoptions"}
OF_OTHERS = {"_adj", "_at_fork_reinit", "_exit", "_field_defaults", "_fields"}
"""Of NetworkX's graphs, as its backends read them; of Python's locks, and ``os``; of named tuples."""


def is_private(name: str) -> bool:
    """Whether a dotted name is that of something that a package keeps to itself."""
    first, *rest = name.split(".")
    if first not in OTHERS or not all(map(str.isidentifier, rest)):
        return False
    if any(part.startswith("_") and not part.endswith("__") for part in rest):
        return True
    documented = any(f"{name}.".startswith(f"{module}.") for module in ("numba.core.cgutils", "numba.core.errors"))
    return not documented and any(f"{name}.".startswith(f"{module}.") for module in NOT_DOCUMENTED)


def imported(node: ast.AST) -> Iterator[tuple[str, str, str]]:
    """The name that an import gives a thing, its dotted name, and the module that it is imported from."""
    if isinstance(node, ast.Import):
        for each in node.names:
            yield each.asname or each.name.partition(".")[0], each.name if each.asname else "", each.name
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for each in node.names:
            whole = f"{node.module}.{each.name}"
            yield each.asname or each.name, whole, whole if whole in MODULES else node.module


def dotted(node: ast.AST) -> str:
    """The text of a name with attributes; empty for other expressions."""
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return before and f"{before}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def names_of_its_own(trees: list[ast.Module]) -> set[str]:
    """What the package defines: its functions and classes, and what it assigns to."""
    found: set[str] = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
        elif isinstance(node, ast.Import):
            found.update(each.asname or each.name for each in node.names)
    return found


def private_names(tree: ast.Module, own: set[str]) -> Iterator[tuple[int, str]]:
    """The private names of other packages in a file, with their lines."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        for name, whole, module in imported(node):
            known[name] = whole or name
            if is_private(whole or module) or (module.partition(".")[0] in OTHERS and module not in MODULES):
                yield node.lineno, whole or module
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, _, rest = dotted(node).partition(".")
            if first in known and is_private(f"{known[first]}.{rest}"):
                yield node.lineno, f"{known[first]}.{rest}"
            elif node.attr in OF_DISPATCHERS - own or (re.match("_[a-z]", node.attr) and node.attr not in own):
                yield node.lineno, f".{node.attr}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and is_private(node.value):
            yield node.lineno, repr(node.value)


def test_private_names_stand_in_one_module():
    trees = {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}
    own = names_of_its_own([tree for path, tree in trees.items() if path != PRIVATE]) | OF_OTHERS
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: {name}"
        for path, tree in trees.items()
        if path != PRIVATE
        for line, name in private_names(tree, own)
    ]
    assert found == [], "import it in minigr/jit/private.py, and say there why"
    assert [*private_names(trees[PRIVATE], own)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import numba.core.ir", "numba.core.ir"),
        ("from numba.core import types", "numba.core.types"),
        ("from numba.core.typing.templates import infer_global", "numba.core.typing.templates.infer_global"),
        ("from numba.extending import _Intrinsic", "numba.extending._Intrinsic"),
        ("import numba\nnumba.core.config.DEBUG", "numba.core.config.DEBUG"),
        ("import numpy as np\nnp._core.multiarray", "numpy._core.multiarray"),
        ("def f():\n    from cupy.cuda import driver", "cupy.cuda.driver"),
        ("import cupy as cp\ncp.cuda.driver.ctxGetCurrent()", "cupy.cuda.driver.ctxGetCurrent"),
        ("from cuda.core._linker import Linker", "cuda.core._linker.Linker"),
        ("import numba.np.ufunc", "numba.np.ufunc"),
        ("import numba.misc.special", "numba.misc.special"),
        ("import_module('numba.core.compiler')", "'numba.core.compiler'"),
        ("f._compiler.pipeline_class", "._compiler"),
        ("f.overloads", ".overloads"),
    ],
)
def test_a_private_name_is_found(text, found):
    assert found in [name for _, name in private_names(ast.parse(text), set())]


@pytest.mark.parametrize(
    "text",
    [
        "from numba import types, njit\ntypes.intp",
        "from numba.core import cgutils",
        "from numba.core.errors import TypingError",
        "import numpy as np\nnp.zeros(3).__array_interface__\nnp.random.default_rng()",
        "import cuda.core.graph\ncuda.core.Linker",
        "class A:\n    _own = 1\nA()._own",
    ],
)
def test_a_public_name_is_not_found(text):
    tree = ast.parse(text)
    assert [*private_names(tree, names_of_its_own([tree]))] == []


@pytest.mark.parametrize("name", private._NAMES)
def test_private_names_are_there(name):
    home = private._NAMES[name]
    package = "numba_cuda" if home.startswith("numba.cuda.") else home.partition(".")[0]  # Numba's own lacks some names
    if find_spec(package) is None:
        pytest.skip(f"no {package} here")
    assert getattr(private, name) is not None


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = private.nothing


def test_an_array_is_where_compiled_code_looks_for_it():
    import ctypes

    array = np.arange(6.0).reshape(2, 3)
    word = ctypes.POINTER(ctypes.c_int64)
    assert ctypes.c_void_p.from_address(id(array) + private.ARRAY_DATA).value == array.ctypes.data
    lengths = ctypes.c_void_p.from_address(id(array) + private.ARRAY_LENGTHS).value
    assert ctypes.cast(lengths, word)[:2] == [2, 3]


def test_a_dispatcher_is_told_by_what_it_is_and_asks_for():
    from numba import njit, types
    from numba.extending import intrinsic

    plain = njit(lambda x: x)
    assert private.is_dispatcher(plain)
    assert not private.is_dispatcher(plain.py_func)
    assert private.is_intrinsic(intrinsic(lambda context: None))
    assert private.asked_of(njit(fastmath=True)(lambda x: x))["fastmath"]
    one = njit("int64(int64)", locals={"x": types.int64})(lambda x: x)
    assert private.asked_of(one)["signatures"] == ["(int64,)"]
    assert private.asked_of(one)["locals"] == {"x": types.int64}
    name, returned = private.compiled_as(one, one.signatures[0])
    assert str(returned) == "int64"
    assert f"@{name}(" in one.inspect_llvm(one.signatures[0])
