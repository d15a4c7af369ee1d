"""The commands in README and docs exist, with the options they are shown with."""

import re
import shlex
from pathlib import Path

import click
import pytest

from bootstrap import COMMANDS
from minigr.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def shown():
    """Each command of a console block: the page, the number of its line, and its words."""
    for page in PAGES:
        text = page.read_text()
        for block in re.finditer(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            first = text.count("\n", 0, block.start()) + 2
            for number, line in enumerate(block.group(1).splitlines(), first):
                if line.startswith("$ "):
                    words = shlex.split(line[2:], comments=True)
                    while words and "=" in words[0]:
                        words.pop(0)  # a variable of the environment
                    yield f"{page.name}:{number}", words


def check(words):
    """Raise what click does for a command or an option that there isn't; arguments may be made up."""
    command, context = main, click.Context(main)
    while isinstance(command, click.Group):
        words = [word for word in words if word.strip("[]") != "--debug"]
        name = words[0] if words else ""
        if name.isupper():
            return  # it stands for any of them
        found = command.get_command(context, name)
        if found is None:
            raise click.UsageError(f"no command {name!r} in {command.name!r}")
        command, words = found, words[1:]
    try:
        command.make_context(command.name, words, parent=context)
    except click.NoSuchOption:
        raise
    except (click.UsageError, click.exceptions.Exit):
        pass  # a file that isn't there, or a word that stands for one; --help


CALLS = [(where, words[1:]) for where, words in shown() if words and words[0] == "minigr"]


def test_there_are_commands():
    assert len(CALLS) >= 20


@pytest.mark.parametrize(("where", "words"), CALLS, ids=[where for where, _ in CALLS])
def test_commands_of_minigr(where, words):
    check(words)


@pytest.mark.parametrize("words", [["bench", "apsp", "roads"], ["run", "bfs", "roads", "--sauce", "0"], ["walk"]])
def test_what_there_is_not_is_found(words):
    with pytest.raises((click.NoSuchOption, click.UsageError)):
        check(words)


def test_scripts_and_tasks():
    names = 0
    for where, words in shown():
        if words[:1] in (["python"], ["python3"]) and words[1:2] == ["bootstrap.py"]:
            assert words[2] in COMMANDS, where
        elif words[:1] in (["python"], ["python3"]) and words[1].startswith(("examples/", "benchmarks/")):
            assert (ROOT / words[1]).is_file(), where
            names += 1
    assert names >= 2
