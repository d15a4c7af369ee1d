"""Where the parts of a graph are to be."""

import pytest

from minigr.device import gpu_count


@pytest.fixture
def devices(device):
    """Devices for so many parts, of one kind: all of the machine's GPUs take turns, or each part is on the CPU."""

    def of(count):
        return [device] * count if device == "cpu" else [f"cuda:{number % gpu_count()}" for number in range(count)]

    return of
