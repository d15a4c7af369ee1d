"""Threads and generators that end with the block they are used in."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

AnyGenerator = TypeVar("AnyGenerator", bound=Generator)


@contextmanager
def threads(count: int, name: str) -> Iterator[ThreadPoolExecutor]:
    """A pool of threads. When the block is left they have ended, and what none of them has begun is cancelled.

    After Ctrl-C nobody waits for them: each ends by itself after what it does now, which may be to read a long file.
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
    """`generator`, which is closed when the block is left; Ctrl-C goes through it, so that its `threads` see it."""
    try:
        yield generator
    except KeyboardInterrupt as interrupt:
        generator.throw(interrupt)
        raise
    finally:
        generator.close()
