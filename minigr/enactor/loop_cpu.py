"""The steering of a loop, compiled for the CPU."""

from numba import njit

from minigr.enactor import loop

choose_direction = njit(nogil=True, error_model="numpy")(loop.choose_direction)
begin_draw = njit(nogil=True, error_model="numpy")(loop.begin_draw)
turn_piles = njit(nogil=True, error_model="numpy")(loop.turn_piles)
end_step = njit(nogil=True, error_model="numpy")(loop.end_step)
