"""``minigr prepare``: compile the programs of the algorithms in advance."""

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
    help="Compile for the CPU, for GPUs, or for both if this machine has GPUs.",
)
@click.option(
    "--architecture",
    "architectures",
    type=click.IntRange(min=_OLDEST),
    multiple=True,
    metavar="N",
    help="Compile for GPUs of this compute capability, times ten, such as 90; may be given several times.  "
    "[default: the GPUs of this machine]",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), help="The number of processes that compile.  [default: one for each core]"
)
def prepare(device: str, architectures: tuple[int, ...], jobs: int | None) -> None:
    """Compile the programs of all algorithms, so that no first call has to compile.

    The programs are stored in the cache of compiled programs. Programs in the cache are not compiled again. Programs
    for GPUs take minutes to compile, and compiling them needs no GPU: --architecture compiles for another machine.
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
