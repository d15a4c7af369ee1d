"""Threads and generators that end with a block."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

AnyGenerator = TypeVar("AnyGenerator", bound=Generator)


@contextmanager
def threads(count: int, name: str) -> Iterator[ThreadPoolExecutor]:
    """A pool of threads that ends with the block: waits for running tasks, and cancels the others.

    After Ctrl-C, nobody waits for running tasks, because a task may be reading a long file. Each thread ends after its
    task.
    """
    pool = ThreadPoolExecutor(count, thread_name_prefix=name)
    wait = True
    try:
        yield pool
    except KeyboardInterrupt:
        wait = False
        raise
    finally:
        pool.shutdown(wait=wait, cancel_futures=True)


@contextmanager
def ending(generator: AnyGenerator) -> Iterator[AnyGenerator]:
    """Close `generator` at the end of the block. Ctrl-C passes through the generator, so that its `threads` see it."""
    try:
        yield generator
    except KeyboardInterrupt as interrupt:
        generator.throw(interrupt)
        raise
    finally:
        generator.close()
