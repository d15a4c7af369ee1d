"""Where loops are run: with each driver of each device, and by a team of more threads than small graphs would get."""

import pytest

from minigr.program.control import DRIVERS

WHERE = [("cpu", driver) for driver in DRIVERS if driver != "graph"]
WHERE += [pytest.param(("cuda", driver), marks=pytest.mark.gpu) for driver in DRIVERS]


@pytest.fixture(params=WHERE, ids="-".join)
def where(request):
    """A device, and a driver that it has."""
    return request.param
