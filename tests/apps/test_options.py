"""The options of ready algorithms: shared names and words, and wrong ones answered with the valid ones."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import minigr as mg
from minigr.errors import ProblemError
from tests.docstrings import braces, choices, described, options, parameters

APPS = sorted(name for name, home in mg._HOMES.items() if home.startswith("minigr.apps.") and name != "stream")
FOLLOWED = sorted(name for name in mg.dynamic.__all__ if name not in ("Maintained", "Step", "Update"))
BATCHED = sorted(name for name in mg.batch.__all__ if name not in ("read", "write"))
ORDER = ("direction", "balance", "progress", "trace", "driver")
"""Of the options that apps share, after those of their own."""
ARGUMENTS = {
    "bfs": [0], "multi_source_bfs": [[0, 1]], "sssp": [0], "k_truss": [3], "clique_count": [4], "most_similar": [2],
    "random_walks": [[0], 2], "sample_neighbors": [[0], [2]], "negative_samples": [2],
    "ego_graph": [0], "shortest_path": [0, 1], "earliest_arrival": [0], "k_shortest_paths": [0, 1, 2],
    "maximum_flow": [0, 1], "personalized_pagerank": [[0, 1]], "modularity": [[0, 0, 1, 1]],
}  # fmt: skip


FOR_DIRECTED = ("topological_levels", "dag_longest_path", "transitive_reduction")


def weighted_path(kind: Any = mg.Graph, directed: bool = False) -> Any:
    graph = mg.generate.path(4, weights=(1, 2), directed=directed, device="cpu")
    return graph if kind is mg.Graph else kind.from_graph(graph)


@pytest.mark.parametrize("name", APPS)
def test_apps_share_names_order_and_words_of_options(name):
    app = getattr(mg, name)
    shared = [option for option in options(app) if option in ORDER]
    assert [option for option in ORDER if option in shared] == shared == list(options(app))[-len(shared) or 99 :]
    assert list(described(app)) == list(parameters(app))
    told, model = described(app), described(mg.bfs)
    for option in {"trace", "driver"} & told.keys():
        assert told[option] == model[option]
    for option in {"direction", "balance"} & told.keys():
        assert told[option][1].startswith(model[option][1].partition(".")[0])
        assert sorted(braces(told[option][0])) == sorted(braces(model[option][0]))
    for option, values in choices(app).items():
        assert sorted(braces(told[option][0])) == sorted(values)


def table(head: str) -> list[list[str]]:
    """The cells of the reference's table whose first line begins with `head`, that line included."""
    lines = (Path(__file__).parents[2] / "docs" / "api.md").read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(head))
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[first:])
    return [line.split("|")[1:-1] for line in rows if not line.startswith("|---")]


def names_in(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)


def test_the_table_of_shared_options_is_current():
    head, *rows = table("| | `direction`")
    shared = [option for cell in head for option in names_in(cell)]
    for name in APPS:
        (marks,) = [row[1:] for row in rows if name in names_in(row[0])]  # one row alone
        has = {option for option, mark in zip(shared, marks, strict=True) if mark.strip()}
        assert has == set(shared) & set(parameters(getattr(mg, name))), name
    assert sorted(name for row in rows for name in names_in(row[0])) == APPS


def test_the_table_of_reproducible_results_has_each_algorithm_once():
    _, *rows = table("| | the same in every run")
    cells = [row[0] for row in rows]
    told = [name for cell in cells for name in names_in(cell) if name in APPS]
    assert set(told) == set(APPS)
    for name in APPS:  # or one row for each way to call it
        assert told.count(name) == 1 or all(
            re.search(rf"`{name}`[^|]* (by|with) ", cell) for cell in cells if name in names_in(cell)
        ), name


def test_the_table_of_what_progress_counts_is_current():
    _, *rows = table("| unit |")
    told = [name for row in rows for name in names_in(row[1])]
    estimates = [name for name in APPS if name.startswith("approximate_")]
    assert sorted([*told, *estimates]) == [name for name in APPS if "progress" in parameters(getattr(mg, name))]


def test_every_app_with_a_loop_has_a_driver():
    without = {name for name in APPS if "driver" not in options(getattr(mg, name))}
    # A walk or a pair needs nothing of another, layers are few, and a measure, a degree or a filter is a pass over the
    # edges.
    degrees = {"degree_centrality", "in_degree_centrality", "out_degree_centrality"}
    assert without == degrees | {
        "random_walks", "sample_neighbors", "negative_samples", "similarity", "most_similar", "modularity",
        "partition_quality", "filter_graph", "degree_assortativity", "rich_club_coefficient",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "option"), [(name, option) for name in APPS for option in choices(getattr(mg, name))])
def test_a_value_that_an_option_of_an_app_can_not_have(name, option):
    app = getattr(mg, name)
    with pytest.raises(ProblemError, match=rf"{option}='sideways': use one of ") as caught:
        app(weighted_path(directed=name in FOR_DIRECTED), *ARGUMENTS.get(name, ()), **{option: "sideways"})
    for value in choices(app)[option]:
        assert repr(value) in str(caught.value)


def numbers(name: str) -> list[str]:
    """The options of an app that take one number."""
    kinds = {option: kind for option, (kind, _) in described(getattr(mg, name)).items()}
    return [option for option, kind in kinds.items() if kind in ("float", "float, optional")]


@pytest.mark.parametrize(("name", "option"), [(name, option) for name in APPS for option in numbers(name)])
def test_an_option_that_takes_a_number_is_given_text(name, option):
    graph, given = weighted_path(directed=name in FOR_DIRECTED), {option: "few"}
    if name == "shortest_path":
        given["weighted"] = True
    with pytest.raises(ProblemError, match=rf"{name}: {option}='few' must be a "):
        getattr(mg, name)(graph, *ARGUMENTS.get(name, ()), **given)


@pytest.mark.parametrize("name", FOLLOWED)
def test_options_of_an_answer_that_follows(name):
    kind, graph = getattr(mg.dynamic, name), weighted_path(mg.DynamicGraph)
    source = [0] if name in ("BFS", "SSSP") else []
    assert list(described(kind)) == list(parameters(kind))
    assert list(options(kind))[-2:] == ["recompute", "driver"]
    for option, values in choices(kind).items():
        assert described(kind)[option] == described(mg.dynamic.BFS)[option]
        assert braces(described(kind)[option][0]) == list(values)
        with pytest.raises(ProblemError, match=rf"{option}='sideways': use one of ") as caught:
            kind(graph, *source, **{option: "sideways"})
        assert all(repr(value) in str(caught.value) for value in values)
    with pytest.raises(
        TypeError, match=rf"^{name} has no option 'recompte'; did you mean 'recompute'\? It has graph, "
    ):
        kind(graph, *source, recompte="never")
    with pytest.raises(TypeError, match=r"^insert_edges has no option 'weigths'; did you mean 'weights'\?"):
        kind(graph, *source).insert_edges([0], [1], weigths=[1])


def test_options_of_a_stream():
    with pytest.raises(TypeError, match=r"^stream has no option 'windov'; did you mean 'window'\? It has graph, "):
        mg.stream(weighted_path(mg.DynamicGraph), [0], [1], [2], windov=1, batch=1)


@pytest.mark.parametrize("name", BATCHED)
def test_options_of_a_call_for_batches(name):
    call: Callable[..., Any] = getattr(mg.batch, name)
    assert list(described(call)) == list(parameters(call))
    known = ", ".join(parameters(call))
    with pytest.raises(TypeError, match=rf"^{name} has no option 'colour'; it has {known}$"):
        call(None, colour="red")
    batch = mg.GraphBatch.from_graphs([[(0, 1)]], device="cpu")
    for option, values in choices(call).items():
        with pytest.raises(ProblemError, match=rf"{option}='sideways': use one of ") as caught:
            call(batch, **{option: "sideways"})
        assert all(repr(value) in str(caught.value) for value in values)
