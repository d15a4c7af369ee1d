"""The effect on other processes of MPI if one process fails, sleeps, is killed or has no memory."""

import re

import pytest

from tests.partitioned.mpi import needs_mpi, started

pytestmark = needs_mpi

LIMIT = 3  # seconds; on a loaded machine a process may wait for one or two
BEGIN = f"""
    import os, pathlib, signal, time

    LIMIT = {LIMIT}
    where = mg.distributed.Mpi(time_limit=LIMIT)
    src, dst, _ = mg.generate.rmat(8, 8, seed=1, device="cpu").to_edges()
    own = slice(rank, None, size)

    def make(where=where):
        return mg.PartitionedGraph.from_edges(src[own], dst[own], num_vertices=256, devices=where)

    wanted = mg.bfs(make("mpi"), 0).depth.max()  # compiling takes longer in some than in others, and has more time
    MPI.COMM_WORLD.Barrier()
    graph = make()
    begun = time.monotonic()

    def search(graph):
        try:
            mg.bfs(graph, 0)
        except mg.errors.PartError as error:
            return str(error)
        return "none"

    def say(text):
        with open(FOLDER + "/said", "a") as file:
            file.write(f"{{rank}} {{text}}\\n")

    def leave():
        # where a process is missing, MPI would wait for it in the end
        time.sleep(1)
        os._exit(1)
"""
# A shell in between hides a death from the launcher until all have printed, because the launcher would end the others.
UNSEEN = ("sh", "-c", f'"$0" "$@" || sleep {2 * LIMIT + 1}')
SILENT = (
    f"part 2 of 4 has not answered for {LIMIT} s: see whether its process works; if so, give it more time by devices="
)


@pytest.fixture
def said(tmp_path):
    """Run a script; return the lines of all processes, and the result of the launcher."""

    def run(text, **options):
        done = started(f"    FOLDER = {str(tmp_path)!r}\n{BEGIN}{text}", **options)
        file = tmp_path / "said"
        return sorted(file.read_text().splitlines()) if file.exists() else [], done

    return run


def check_silent(lines):
    """Check that all parts except part 2 stopped in time, and that they name part 2."""
    assert [line[0] for line in lines] == ["0", "1", "3"]
    for line in lines:
        _, seconds, message = line.split(" ", 2)
        assert 0.9 * LIMIT < float(seconds) < LIMIT + 5  # the part that has waited longest tells the others
        assert message.startswith(SILENT)


def test_one_raises_between_calls(said):
    text = """
    if rank == 2:
        raise KeyError("of the user")
    message = search(graph)
    say(f"{time.monotonic() - begun:.2f} {message}")
    leave()
    """
    lines, _ = said(text, launcher=UNSEEN, python=())
    check_silent(lines)
    lines, done = said(text.replace("say(", "say('too late' + "))  # mpi4py ends all processes at once
    assert done.returncode != 0
    assert "of the user" in done.stderr
    assert not any("too late" in line for line in lines)


def test_one_is_killed(said):
    lines, _ = said(
        """
    if rank == 2:
        time.sleep(LIMIT / 4)  # MPI itself ends those that are still in the barrier
        os.kill(os.getpid(), signal.SIGKILL)
    message = search(graph)
    say(f"{time.monotonic() - begun:.2f} {message}")
    leave()
    """,
        launcher=UNSEEN,
    )
    check_silent(lines)


def test_one_sleeps_and_wakes_up(said):
    lines, done = said(
        """
    if rank == 2:
        time.sleep(1.5 * LIMIT)
    say("first " + search(graph))
    say("second " + search(graph))
    assert mg.bfs(make(), 0).depth.max() == wanted  # the next graph is for all
    say("done")
    """
    )
    assert done.returncode == 0
    over = f"the parts have stopped talking, so make the graph again: {SILENT}"
    for rank in range(4):
        done, first, second = (line for line in lines if line[0] == str(rank))
        assert done == f"{rank} done"
        assert first.startswith(f"{rank} first {SILENT}")
        assert second.startswith(f"{rank} second {over}")


def test_one_has_no_memory(said):
    lines, done = said(
        """
    many = mg.PartitionedGraph.from_edges([rank], [rank + 1], num_vertices=4_000_000, devices=where)
    MPI.COMM_WORLD.Barrier()
    if rank == 2:
        import resource

        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (4 << 20), before[1]))
    for call in (
        lambda: mg.PartitionedGraph.from_edges([rank], [rank + 1], num_vertices=4_000_000, devices=where),
        lambda: mg.pagerank(many),
    ):
        try:
            call()
        except Exception as error:
            say(f"{type(error).__name__} {error}")
    if rank == 2:
        resource.setrlimit(resource.RLIMIT_AS, before)
    assert mg.bfs(many, 0).depth.max() == 4
    assert mg.bfs(graph, 0).depth.max() == wanted  # all can go on
    """
    )
    assert done.returncode == 0, done.stderr
    assert len(lines) == 8
    for rank in (0, 1, 3):
        for line in lines[2 * rank : 2 * rank + 2]:
            # Memory that is left of earlier allocations decides which allocation finds no room.
            why = "MemoryError$|MemoryError: Unable to allocate|OutOfMemoryError: part 2 .* found no room on cpu"
            assert re.match(f"{rank} PartError part 2 of 4 failed: ({why})", line)
    for line in lines[4:6]:
        assert re.match("2 OutOfMemoryError (PartitionedGraph.from_edges|Problem|part 2 .*) found no room on cpu", line)


def test_a_batch_that_one_is_late_for(said):
    """The others don't have the batch, and raise again at the next batch."""
    lines, done = said(
        """
    changing = mg.PartitionedDynamicGraph(50, devices=where)
    changing.insert_edges([rank], [rank + 1])
    before = changing.parts[0].graph.num_arcs
    if rank == 2:
        time.sleep(1.5 * LIMIT)
    for _ in range(2):
        try:
            changing.insert_edges([rank, 5 + rank], [20, 30])
        except mg.errors.PartError as error:
            say(f"{changing.parts[0].graph.num_arcs - before} {error}")
    assert mg.bfs(make(), 0).depth.max() == wanted  # the next graph is for all
    """
    )
    assert done.returncode == 0, done.stderr
    over = f"the parts have stopped talking, so make the graph again: {SILENT}"
    for rank in range(4):
        first, second = (line for line in lines if line[0] == str(rank))
        told = sorted([first, second])
        assert told[0].startswith(f"{rank} 0 {SILENT}")
        assert told[1].startswith(f"{rank} 0 {over}")
