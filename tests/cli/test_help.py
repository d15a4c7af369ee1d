"""Every command's ``--help``: it ends with examples, and these are command lines that the command takes."""

from __future__ import annotations

import inspect
import re
import shlex
from pathlib import Path
from typing import get_args, get_type_hints

import click
import pytest

import minigr as mg
from minigr.apps.dynamic.common.maintained import Maintained
from minigr.cli import algorithms, main
from minigr.cli.batch_calls import CALLS
from minigr.cli.stream_answers import ANSWERS


def commands(command: click.Command = main, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    inner = getattr(command, "commands", {})
    return [path, *(found for name, child in inner.items() for found in commands(child, (*path, name)))]


@pytest.mark.parametrize("path", commands(), ids=" ".join)
def test_help_ends_with_examples_that_can_be_parsed(call, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call(*path, "--help")
    assert result.exit_code == 0
    block = re.search(r"\n  Examples:\n((?:    minigr .*\n)+)$", result.stdout)
    assert block, result.stdout
    for line in block.group(1).splitlines():
        words = shlex.split(re.split(" [|>]", line)[0])[1:]
        assert tuple(words[: len(path)]) == path
        for word in words:
            if Path(word).suffix == ".json":  # some are read, and must be there
                Path(word).parent.mkdir(parents=True, exist_ok=True)
                Path(word).touch()
        parse(main, words)


def parse(command: click.Command, words: list[str], context: click.Context | None = None) -> None:
    """Raise what click raises for a command line, and run nothing."""
    with command.make_context(command.name, list(words), parent=context) as made:
        if isinstance(command, click.Group):
            _, child, rest = command.resolve_command(made, [*made._protected_args, *made.args])
            assert child is not None
            parse(child, rest, made)


def test_a_wrong_example_would_be_found():
    with pytest.raises(click.UsageError):
        parse(main, ["run", "bfs", "roads", "--sauce", "3"])
    with pytest.raises(click.UsageError):
        parse(main, ["plot", "graph", "roads"])


def test_every_app_can_be_run():
    """A new app is in the table of `minigr run`."""
    source = inspect.getsource(algorithms)
    apps = [name for name, home in mg._HOMES.items() if home.startswith("minigr.apps.") and name != "stream"]
    assert len(apps) >= 18
    others = {"modularity", "partition_quality"}  # of communities that are given
    others |= {"filter_graph", "ego_graph", "largest_component"}  # which find a graph
    assert {name for name in apps if not re.search(rf"\bmg\.{name}\(", source)} == others


@pytest.mark.parametrize("algorithm", algorithms.ALGORITHMS.values(), ids=lambda algorithm: algorithm.name)
def test_an_algorithm_takes_all_that_its_app_takes(algorithm):
    """Of the options that the command line has; and each can have the values that it has in the app."""
    offered = {parameter.name: parameter for parameter in main.commands["run"].params}
    [app] = [name for name in algorithm.app.__code__.co_names if name in mg._HOMES]
    own, taken = (set(inspect.signature(function).parameters) for function in (algorithm.app, getattr(mg, app)))
    assert {*algorithm.options} == (own | taken) & {*offered, "progress"} - {"graph"}
    assert {"source", "direction", "balance", "driver"} & taken <= {*algorithm.options}
    for name in algorithm.options:
        if name in ("direction", "balance", "driver"):
            annotation = get_type_hints(inspect.unwrap(getattr(mg, app)))[name]
            assert sorted(offered[name].type.choices) == sorted(get_args(annotation))


def test_every_answer_can_be_followed():
    kinds = [kind for kind in vars(mg.dynamic).values() if inspect.isclass(kind) and issubclass(kind, Maintained)]
    graph = mg.DynamicGraph.from_graph(mg.generate.path(3, weights=(1, 2), device="cpu"))
    assert {type(answer.make(graph, 0)) for answer in ANSWERS.values()} == {*kinds} - {Maintained}


def test_every_call_for_batches_is_offered():
    calls = [getattr(mg.batch, name) for name in mg.batch.__all__ if name != "write"]
    names = {call.__name__ for call in calls if next(iter(inspect.signature(call).parameters), None) == "batch"}
    assert {name.replace("-", "_") for name in CALLS} == {*names, "harmonic"}  # that is an option of closeness


def test_the_page_of_the_command_line_names_every_command_and_option():
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
    table = page.partition("| command | |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| \[`(\w+)`\]", table, re.MULTILINE)) == main.commands.keys()
    named = set(re.findall(r"--[\w-]+", page))
    for name, command in main.commands.items():
        for option in command.params if name != "bench" else ():  # those of `bench` have a page of their own
            if isinstance(option, click.Option):
                assert named & set(option.opts + option.secondary_opts), (name, option.opts)
