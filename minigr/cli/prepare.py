"""``minigr prepare``: the programs of the algorithms, made before they are called."""

from __future__ import annotations

import click

from minigr.cli.console import progress, say
from minigr.cli.help import examples

_OLDEST = 75


@click.command(epilog=examples("prepare", "prepare --device cpu --jobs 4", "prepare --architecture 90"))
@click.option(
    "--device",
    type=click.Choice(("cpu", "cuda", "all")),
    default="all",
    show_default=True,
    help="For the CPU, for GPUs, or for both as far as this machine has GPUs.",
)
@click.option(
    "--architecture",
    "architectures",
    type=click.IntRange(min=_OLDEST),
    multiple=True,
    metavar="N",
    help="For GPUs of this compute capability, times ten, such as 90; may be given several times.  "
    "[default: those of this machine's GPUs]",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Processes that compile.  [default: one for each core]")
def prepare(device: str, architectures: tuple[int, ...], jobs: int | None) -> None:
    """Make the programs of all algorithms, so that no first call has to compile.

    The programs go to the cache of compiled programs. What is there already is not made again. Programs for GPUs take
    minutes, and need no GPU: those of another machine can be made by their --architecture.
    """
    from time import perf_counter

    from minigr.jit import cache
    from minigr.jit.threads import get_num_threads
    from minigr.prepare import machine

    if device == "cpu" and architectures:
        raise click.UsageError("--architecture names GPUs, and --device cpu leaves them out: give one of the two")
    target = machine.resolve(device, architectures)
    begun = perf_counter()
    with progress("preparing") as tell:
        entries = machine.prepare(target, jobs or get_num_threads(), tell)
    names = [*["the CPU"][: target.cpu], *(f"sm_{architecture}" for architecture in target.architectures)]
    made, there = len(entries.made), len(entries.asked) - len(entries.made)
    size = sum(entries.sizes().values()) / 1e6
    say(f"{', '.join(names)}: {made} programs made, {there} were there, in {perf_counter() - begun:.0f} s")
    say(f"together they are {size:.0f} MB in {cache.root()}")
