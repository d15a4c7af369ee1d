"""Writing a file so that its name never stands for half of it."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from minigr.io.source import is_gzipped


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the place of `path` when the block ends, and vanishes if the block raises.

    What is written is compressed if the name ends in ``.gz``. The file lies beside `path` until then, so that the last
    step is a rename.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as raw:
            if is_gzipped(path):
                with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=6, mtime=0) as content:
                    yield cast(BinaryIO, content)
            else:
                yield raw
        os.chmod(name, 0o666 & ~_umask())  # mkstemp keeps everybody else out, open() goes by the umask
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)  # there is no way to ask but to set
    os.umask(mask)
    return mask
