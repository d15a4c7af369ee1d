"""The 32-bit words from which Python's `random.Random` makes its numbers, many at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from networkx.utils import create_py_random_state

_FIRST, _MOST = 1 << 10, 1 << 18  # words that are generated at once


class Words:
    """The next words of a generator, in parts. At the end, the generator has drawn as many words as were `taken`.

    Both Python and NumPy have the Mersenne Twister (Matsumoto, Nishimura 1998), so its state can be copied.
    """

    def __init__(self, seed: Any):
        self._random = create_py_random_state(seed)
        self.taken = 0

    def _twister(self) -> Any:
        *key, position = self._random.getstate()[1]
        twister = np.random.MT19937()
        twister.state = {"bit_generator": "MT19937", "state": {"key": np.array(key, np.uint32), "pos": position}}
        return twister

    def __enter__(self) -> Words:
        self._source = self._twister()
        self._left, self._size = np.empty(0, np.uint32), _FIRST
        return self

    def __exit__(self, *error: Any) -> None:
        version, _, gauss = self._random.getstate()
        twister = self._twister()
        if self.taken:
            twister.random_raw(self.taken, output=False)
        state = twister.state["state"]
        self._random.setstate((version, (*state["key"].tolist(), int(state["pos"])), gauss))

    def ahead(self) -> Any:
        """The words after those that were taken, uint32. Each call returns more words."""
        more = self._source.random_raw(self._size).astype(np.uint32)
        self._left, self._size = np.concatenate([self._left, more]), min(4 * self._size, _MOST)
        return self._left

    def take(self, count: int) -> None:
        """Take the next `count` words."""
        self._left = self._left[count:]
        self.taken += count
