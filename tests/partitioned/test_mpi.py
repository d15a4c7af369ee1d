"""Parts in processes of MPI: answers are those on one device, and an error of one is an error of all."""

import minigr as mg
from tests.partitioned.mpi import ANSWERS, needs_mpi, run

pytestmark = needs_mpi


def test_answers_are_those_of_one_process():
    lines = run("where = 'mpi'\n" + ANSWERS)
    assert lines == [f"done by {rank}" for rank in range(4)]


def test_processes_share_the_rows_of_files(tmp_path):
    graph = mg.generate.rmat(8, 8, seed=1, weights=(1, 255), device="cpu")
    mg.write(graph, tmp_path / "all.txt")
    mg.write(graph, tmp_path / "all.npz")
    (tmp_path / "wrong.txt").write_text("0 1\n" * 99 + "0 1 2\n")
    lines = run(
        f"""
        graph = mg.read({str(tmp_path / "all.npz")!r}, device="cpu")
        for name in ("all.txt", "all.npz"):
            parts = mg.read({str(tmp_path)!r} + "/" + name, devices="mpi")
            assert (parts.gather().indices == graph.indices).all()
            assert (mg.sssp(parts, 0).distance.gather() == mg.sssp(graph, 0).distance).all()
        try:
            mg.read({str(tmp_path / "wrong.txt")!r}, devices="mpi")
        except Exception as error:
            print(f"{{rank}} {{type(error).__name__}}: {{error}}\\n", flush=True, end="")
        """
    )
    wrong = f"FormatError: {tmp_path}/wrong.txt:100: expected 2 fields, as in line 1, got 3"
    assert lines == [
        *(f"{rank} PartError: part 3 of 4 failed: {wrong}" for rank in range(3)),
        f"3 {wrong}",
    ]


def test_an_error_in_one_process_is_an_error_in_all():
    lines = run(
        """
        try:
            mg.PartitionedGraph.from_edges([0], [1 if rank != 2 else -1], devices="mpi")
        except Exception as error:
            print(f"{rank} {type(error).__name__}: {error}\\n", flush=True, end="")
        parts = mg.PartitionedGraph.from_edges([rank], [rank + 1], devices="mpi")
        assert mg.bfs(parts, 0).depth.max() == 4  # all can go on
        """
    )
    message = "dst[0] is -1: vertex ids must not be negative"
    others = [f"{rank} PartError: part 2 of 4 failed: GraphError: {message}" for rank in (0, 1, 3)]
    assert lines == sorted([*others, f"2 GraphError: {message}"])
