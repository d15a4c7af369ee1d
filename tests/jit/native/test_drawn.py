"""Functions drawn at random: what the native compiler takes has to be what Numba makes of it."""

import pytest

from tests.jit.native.drawn import batch


@pytest.mark.parametrize("seed", range(3))
def test_drawn_functions_agree(seed):
    drawn, taken, wrong = batch(seed)
    assert not wrong, "\n".join(wrong)
    assert taken == 10
    assert drawn < 60  # most are taken; were they not, nothing would be compared
