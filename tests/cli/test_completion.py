"""``minigr completion``: the scripts, and what is offered at each place of a command line."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from click.shell_completion import ShellComplete

from minigr.cli import main
from minigr.cli.completion import PROGRAM, SHELLS, VARIABLE


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_one_of_the_shell(call, shell, tmp_path):
    script = tmp_path / "script"
    result = call("completion", shell)
    assert result.exit_code == 0
    assert f"{VARIABLE}={shell}_complete" in result.stdout
    script.write_text(result.stdout)
    if shutil.which(shell):
        subprocess.run([shell, "-n", script], check=True)


def test_another_shell_is_refused(call):
    result = call("completion", "tcsh")
    assert (result.exit_code, "'bash', 'zsh', 'fish'" in result.stderr) == (2, True)


def offered(*words):
    *before, last = words
    found = ShellComplete(main, {}, PROGRAM, VARIABLE).get_completions(list(before), last)
    return [item.value for item in found if item.type == "plain"], [item.value for item in found if item.type == "file"]


def test_commands_and_options():
    assert offered("b")[0] == ["batch", "bench"]
    assert offered("plot", "")[0] == ["bench", "degrees", "graph", "trace"]
    assert "--samples" in offered("run", "bfs", "--s")[0]
    assert offered("run", "--driver", "f")[0] == ["fused"]


def test_algorithms_and_graphs():
    assert offered("run", "be") == (["betweenness"], ["be"])
    assert offered("run", "bfs", "wo") == (["wordnet"], ["wo"])
    assert offered("info", "r") == (["roads"], ["r"])
    assert offered("plot", "degrees", "roads", "w") == (["wordnet"], ["w"])
    assert offered("plot", "graph", "roads", "--color", "co")[0] == ["components", "coloring", "core-number"]
    assert offered("batch", "tri")[0] == ["triangles"]
    assert offered("batch", "triangles", "en") == ([], ["en"])


def test_lists_with_commas():
    assert offered("stream", "mail.txt", "--answers", "c")[0] == ["components", "core-number", "coloring"]
    assert offered("stream", "mail.txt", "--answers", "bfs,co")[0] == [
        "bfs,components",
        "bfs,core-number",
        "bfs,coloring",
    ]
    assert offered("stream", "mail.txt", "--answers", "bfs,b")[0] == []
