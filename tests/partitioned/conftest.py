"""The devices of a graph's parts."""

import pytest

from minigr.device import gpu_count


@pytest.fixture
def devices(device):
    """A function that returns devices for `count` parts: all GPUs of the machine in turn, or the CPU for each part."""

    def of(count):
        return [device] * count if device == "cpu" else [f"cuda:{number % gpu_count()}" for number in range(count)]

    return of
