"""``minigr completion``: the script with which a shell completes commands, options, algorithms and graphs."""

from __future__ import annotations

import click

from minigr.cli.help import examples

PROGRAM, VARIABLE = "minigr", "_MINIGR_COMPLETE"
SHELLS = ("bash", "zsh", "fish")


@click.command(
    epilog=examples(
        "completion bash >> ~/.bashrc",
        "completion zsh >> ~/.zshrc",
        "completion fish > ~/.config/fish/completions/minigr.fish",
    )
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete commands, options, and names of algorithms and graphs.

    Bash must be 4.4 or newer.
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # click supports these three shells
    click.echo(kind(ctx.find_root().command, {}, PROGRAM, VARIABLE).source())
