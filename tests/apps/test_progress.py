"""Apps that may take long tell how far they have come."""

import pytest

import minigr as mg
from minigr.errors import ProblemError
from tests.docstrings import parameters


@pytest.mark.parametrize(
    ("app", "options", "most"),
    [
        (mg.pagerank, {"max_iter": 9}, 9),
        (mg.hits, {"max_iter": 50}, 50),
        (mg.eigenvector_centrality, {"max_iter": 60}, 60),
        (mg.katz_centrality, {"alpha": 0.01, "max_iter": 70}, 70),
        (mg.label_propagation, {}, 1000),
        (mg.core_number, {}, None),
        (mg.k_truss, {"k": 4}, None),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_steps(device, app, options, most):
    graph, told = mg.generate.rmat(6, 4, seed=1, device=device), []
    result = app(graph, **options, progress=lambda *at: told.append(at))
    steps, of = zip(*told, strict=True)
    assert steps[0] == 1
    assert steps[-1] == result.iterations == app(graph, **options).iterations
    assert list(steps) == sorted(set(steps))
    assert set(of) == {most}


TAKE_PROGRESS = [
    name
    for name, home in mg._HOMES.items()
    if home.startswith("minigr.apps.") and name != "stream" and "progress" in parameters(getattr(mg, name))
]


@pytest.mark.parametrize("name", TAKE_PROGRESS)
def test_what_is_no_function_is_refused_at_once(name):
    with pytest.raises(ProblemError, match=f"{name}: progress=3: give a function of two numbers"):
        getattr(mg, name)(mg.generate.path(0, device="cpu"), progress=3)
