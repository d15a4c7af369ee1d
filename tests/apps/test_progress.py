"""Apps that may take long tell how far they have come."""

import pytest

import minigr as mg


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
