"""Whether a batch is repaired depends on no clock here, but where that is what is tested."""

import pytest

from minigr.apps.dynamic.costs import Costs


@pytest.fixture(autouse=True)
def no_clock(request, monkeypatch):
    if request.module.__name__.rpartition(".")[2] not in ("test_costs", "test_together"):
        monkeypatch.setattr(Costs, "why_recompute", lambda self, size, deleted: None)
