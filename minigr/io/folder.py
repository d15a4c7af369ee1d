"""Folders that hold a graph (.minigr), with one .npy file for each array, which can be mapped into memory.

``head.json`` has the names and sizes of the files. A graph that is written into a folder gets new files. Then
``head.json`` is replaced, and finally the files of the old graph are deleted. So a folder always holds the old graph or
the new graph, and a process that has mapped the old graph keeps it.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from minigr.device import CPU
from minigr.errors import FormatError
from minigr.graphs.checks import WEIGHT_DTYPES
from minigr.graphs.partitioned.blocks import blocks_of
from minigr.graphs.partitioned.queries import PartsQueries
from minigr.io.contents import Options, Rows
from minigr.io.sizes import require_room
from minigr.io.stored import checked, columns_of, names_of_arrays, stored
from minigr.replace import FULL, replacing

if TYPE_CHECKING:
    from minigr.graphs import Graph

HEAD = "head.json"
_KIND, _VERSION, _WITH_COLUMNS = "minigr graph", 1, 2
_WRITTEN_AT_ONCE = 1 << 24  # bytes
_OWN = re.compile(r"(offsets|indices|weights|(vertex|edge)-[0-9]+-[a-z]+)-[0-9a-f]{8}\.npy|\.minigr-[0-9a-f]+\.part")
"""The files that a killed process may leave in a folder without a head."""
_DTYPES = {"offsets": ("int64",), "indices": ("int32",), "weights": WEIGHT_DTYPES}
_OF_COLUMNS = "biufcmMUS"  # kinds of dtypes
_TRIES = 3  # to open files that another process is replacing


class Writer:
    """The writer that `writing` yields. It writes the arrays of a graph in pieces."""

    def __init__(self, folder: Path, files: ExitStack) -> None:
        self._folder, self._files, self._mark = folder, files, secrets.token_hex(4)
        self._handles: dict[str, BinaryIO] = {}
        self.arrays: dict[str, Any] = {}
        self.columns: dict[str, Any] = {}  # as `minigr.io.stored` describes them

    def begin(self, name: str, dtype: Any, length: int) -> None:
        """Create the file of an array."""
        file, told = f"{name}-{self._mark}.npy", np.dtype(dtype).name if name in _DTYPES else np.dtype(dtype).str
        handle = self._files.enter_context((self._folder / file).open("xb"))
        self._handles[name] = handle
        self.arrays[name] = {"file": file, "dtype": told, "length": length}
        npy.write_array_header_1_0(handle, {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": (length,)})

    def append(self, name: str, array: Any) -> None:
        """Write the next elements of an array."""
        text = np.ascontiguousarray(array, self.arrays[name]["dtype"]).view(np.uint8).data
        for begin in range(0, len(text), _WRITTEN_AT_ONCE):
            self._handles[name].write(text[begin : begin + _WRITTEN_AT_ONCE])

    def close(self) -> None:
        """Flush all files to the disk, and close them."""
        for name, handle in self._handles.items():
            handle.flush()
            os.fsync(handle.fileno())
            self.arrays[name]["bytes"] = os.fstat(handle.fileno()).st_size
            handle.close()

    def undo(self) -> None:
        """Delete the written files."""
        for array in self.arrays.values():
            with suppress(FileNotFoundError):
                (self._folder / array["file"]).unlink()


@contextmanager
def writing(path: Path, needed: int, directed: bool) -> Iterator[Writer]:
    """Write a graph of about `needed` bytes to a folder, completely or not at all.

    Raises
    ------
    FileExistsError
        If the name is that of a file, or of a folder with other contents.
    OSError
        If the disk has too little space; the folder is then unchanged.
    """
    _check_target(path)
    is_new = not path.exists()
    if is_new:
        path.mkdir()
    try:
        with ExitStack() as files:
            free = shutil.disk_usage(path).free
            if needed > free:
                raise OSError(
                    errno.ENOSPC, f"the graph takes {needed:,} bytes, but the disk has {free:,} free", str(path)
                )
            writer = Writer(path, files)
            try:
                yield writer
                writer.close()
                head = {"format": _KIND, "version": _VERSION, "directed": directed, "arrays": writer.arrays}
                if writer.columns:
                    head |= {"version": _WITH_COLUMNS, "columns": writer.columns}
                old = _files_of(path)
                with replacing(path / HEAD) as handle:
                    handle.write((json.dumps(head, indent=2) + "\n").encode())
            except BaseException:
                writer.undo()
                raise
    except OSError as error:
        if is_new:
            _remove(path)
        if error.errno in FULL and error.filename is None:
            what = f"{error.strerror} (of {needed:,} bytes in all); what was there before is unchanged"
            raise OSError(error.errno, what, str(path)) from error
        raise
    except BaseException:
        if is_new:
            _remove(path)
        raise
    for file in old:
        with suppress(OSError):  # the new graph is complete; remaining files only take space
            (path / file).unlink()


def write(graph: Graph | PartsQueries, path: Path) -> None:
    """Write the rows and the columns of `graph`; reading the folder returns the same graph, bit for bit."""
    if isinstance(graph, PartsQueries):
        _write_parts(graph, path)
        return
    arrays = {"offsets": graph.offsets, "indices": graph.indices, "weights": graph.weights}
    records, of_columns = stored(graph, path)
    held = {name: array for name, array in (arrays | of_columns).items() if array is not None}
    with writing(path, sum(int(array.nbytes) for array in held.values()), graph.directed) as writer:
        writer.columns = records
        for name, array in held.items():
            writer.begin(name, array.dtype, len(array))
            writer.append(name, CPU.asarray(array))


def _write_parts(graph: PartsQueries, path: Path) -> None:
    """Write the rows of a graph in parts, some rows at a time."""
    dtypes = {"offsets": np.dtype(np.int64), "indices": np.dtype(np.int32), "weights": graph.weight_dtype}
    lengths = {"offsets": graph.num_vertices + 1, "indices": graph.num_arcs, "weights": graph.num_arcs}
    arrays = {name: (dtype, lengths[name]) for name, dtype in dtypes.items() if dtype is not None}
    needed = sum(dtype.itemsize * length for dtype, length in arrays.values())
    with writing(path, needed, graph.directed) as writer:
        for name, told in arrays.items():
            writer.begin(name, *told)
        begin = np.zeros(1, np.int64)
        writer.append("offsets", begin)
        for _, rows in blocks_of(graph):
            writer.append("offsets", begin + rows.offsets[1:])
            writer.append("indices", rows.indices)
            if rows.weights is not None:
                writer.append("weights", rows.weights)
            begin = begin + rows.num_arcs


def read(path: Path, options: Options) -> Rows:
    """The rows in a folder: mapped if requested, otherwise read."""
    for left in reversed(range(_TRIES)):
        head = _head(path)

        def get(name: str, head: dict[str, Any] = head) -> Any:
            return _array(path, name, head["arrays"][name], options.mmap)

        try:
            found = {name: get(name) for name in _DTYPES
                     if name in head["arrays"] and (name != "weights" or options.weights)}  # fmt: skip
            columns = columns_of(head.get("columns", {}), get, path, options)
            break
        except FileNotFoundError as error:
            if not left or _head(path) == head:
                raise FormatError(path, f"the file {error.filename} is missing; write the folder again") from error
    offsets, indices, weights = found["offsets"], found["indices"], found.get("weights")
    if len(offsets) < 1 or int(offsets[0]) or int(offsets[-1]) != len(indices):
        raise FormatError(path, f"its rows don't end at the last of {len(indices)} arcs; write the folder again")
    if weights is not None and len(weights) != len(indices):
        raise FormatError(path, f"it has {len(weights)} weights for {len(indices)} arcs; write the folder again")
    return Rows(offsets, indices, weights, head["directed"], mapped=options.mmap, **columns)


def columns_told(path: Path) -> tuple[dict[str, Any], dict[str, tuple[int, np.dtype]]]:
    """The records of the columns in a folder, and the length and dtype of each array."""
    head = _head(path)
    arrays = {name: (told["length"], np.dtype(told["dtype"])) for name, told in head["arrays"].items()}
    return head.get("columns", {}), arrays


def _check_target(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise FileExistsError(errno.EEXIST, "this is a file, but the graph needs a folder; delete the file", str(path))
    if path.is_dir() and not (path / HEAD).exists() and not all(_OWN.fullmatch(file.name) for file in path.iterdir()):
        raise FileExistsError(errno.EEXIST, "this folder holds something else; give a new name", str(path))
    if (path / HEAD).exists():
        _head(path)  # raises if it is not the head of a graph


def _files_of(path: Path) -> list[str]:
    """The files of the graph in the folder, if there is one."""
    return [told["file"] for told in _head(path)["arrays"].values()] if (path / HEAD).exists() else []


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.rmdir()


def _head(path: Path) -> dict[str, Any]:
    """The content of ``head.json``, checked to be well-formed."""
    if not path.is_dir():
        raise FormatError(path, "is not a folder; minigr.write makes one for a name that ends in .minigr")
    try:
        head = json.loads((path / HEAD).read_bytes())
    except FileNotFoundError:
        raise FormatError(path, f"there is no {HEAD}, so this is no folder that minigr.write made") from None
    except ValueError as error:  # from JSON, or for text that is not UTF-8
        raise FormatError(path / HEAD, f"is damaged: {error}; write the folder again") from error
    if not isinstance(head, dict) or head.get("format") != _KIND:
        raise FormatError(path / HEAD, f"does not say that this is a {_KIND}")
    if head.get("version") not in (_VERSION, _WITH_COLUMNS):
        known = f"this is {_WITH_COLUMNS}"
        what = f"version {head.get('version')!r} of the format is unknown ({known}); update minigr"
        raise FormatError(path / HEAD, what)
    of_columns = names_of_arrays(checked(head.get("columns", {}), path / HEAD))
    dtypes = _DTYPES | dict.fromkeys(of_columns)
    arrays: Any = head.get("arrays")
    good = isinstance(arrays, dict) and {"offsets", "indices", *of_columns} <= set(arrays) <= set(dtypes)
    good = good and all(isinstance(told, dict) and _is_told(told, dtypes[name]) for name, told in arrays.items())
    if not good or not isinstance(head.get("directed"), bool):
        raise FormatError(path / HEAD, "does not describe a graph's arrays; write the folder again")
    return head


def _is_told(told: dict[str, Any], dtypes: tuple[str, ...] | None) -> bool:
    """Whether an array is described, with one of these dtypes; None allows the dtypes of columns."""
    file, counts, dtype = told.get("file"), [told.get("length"), told.get("bytes")], told.get("dtype")
    is_name = isinstance(file, str) and file.endswith(".npy") and Path(file).name == file
    is_known = _may_be_column(dtype) if dtypes is None else dtype in dtypes
    return is_name and is_known and all(type(count) is int and count >= 0 for count in counts)


def _may_be_column(dtype: Any) -> bool:
    try:
        return isinstance(dtype, str) and np.dtype(dtype).kind in _OF_COLUMNS
    except (TypeError, ValueError):
        return False


def _array(path: Path, name: str, told: dict[str, Any], mmap: bool) -> Any:
    file = path / told["file"]
    dtype, length, size = np.dtype(told["dtype"]), told["length"], file.stat().st_size
    if size != told["bytes"]:
        raise FormatError(file, f"has {size:,} bytes instead of {told['bytes']:,}; write the folder again")
    with file.open("rb") as handle:
        try:
            npy.read_magic(handle)
            shape, _, found = npy.read_array_header_1_0(handle)
        except ValueError as error:
            raise FormatError(file, f"is damaged: {error}; write the folder again") from error
        begin = handle.tell()
        if shape != (length,) or found != dtype or size != begin + length * dtype.itemsize:
            raise FormatError(file, f"holds {found} of shape {shape}, but {HEAD} says {length} of {dtype}")
        if not mmap:
            require_room(path, length * dtype.itemsize, f"its {name}")
            return np.fromfile(handle, dtype, length)
    if not length:
        return np.empty(0, dtype)
    return np.asarray(np.memmap(file, dtype, "r", begin, (length,)))
