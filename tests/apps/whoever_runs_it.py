"""That it is no matter for an app which driver runs its loop."""

import numpy as np

from minigr.device import CPU
from minigr.program.control import DRIVERS


def check_drivers_without_trace(app, values_of, graph):
    """That each driver finds the same."""
    expected = CPU.asarray(values_of(app(graph)))
    for driver in DRIVERS if graph._device.is_cuda else ("fused", "host"):
        np.testing.assert_array_equal(CPU.asarray(values_of(app(graph, driver=driver))), expected)


def check_drivers(app, values_of, graph, expected):
    """That each driver finds `expected`, in as many steps, and a trace has each of them."""
    drivers = DRIVERS if graph._device.is_cuda else ("auto", "fused", "host")
    runs = [app(graph, driver=driver) for driver in drivers]
    runs.append(app(graph, trace=True))
    for result in runs:
        np.testing.assert_array_equal(CPU.asarray(values_of(result)), expected)
        assert result.iterations == runs[0].iterations
    assert len(runs[-1].trace) == runs[-1].iterations
