"""Parts in processes that MPI started: the same answers, and an error of one is an error of all."""

import minigr as mg
from tests.partitioned.mpi import needs_mpi, run

pytestmark = needs_mpi


def test_answers_are_those_of_one_process():
    lines = run(
        """
        graph = mg.generate.rmat(8, 8, seed=1, weights=(1, 255), device="cpu")
        src, dst, weights = graph.to_edges()
        own = slice(rank, None, size)
        parts = mg.PartitionedGraph.from_edges(
            src[own], dst[own], weights[own], num_vertices=graph.num_vertices, devices="mpi"
        )
        assert len(parts.parts) == 1 and parts.num_parts == 4
        assert (parts.gather().indices == graph.indices).all()
        assert (mg.bfs(parts, 0).depth.gather() == mg.bfs(graph, 0).depth).all()
        assert (mg.sssp(parts, 0).distance.gather() == mg.sssp(graph, 0).distance).all()
        assert np.allclose(mg.pagerank(parts).rank.gather(), mg.pagerank(graph).rank, rtol=1e-6)
        found = mg.connected_components(parts)
        assert found.to_pandas().equals(mg.connected_components(graph).to_pandas())
        assert (mg.bfs(parts, 0).to_pandas().depth == mg.bfs(graph, 0).depth).all()
        assert (found.label.gather() == mg.connected_components(graph).label).all()
        assert found.num_components == mg.connected_components(graph).num_components
        triangles = mg.triangle_count(graph, clustering=True)
        assert mg.triangle_count(parts, clustering=True).to_pandas().equals(triangles.to_pandas())
        assert mg.triangle_count(parts).total == triangles.total
        rows = mg.bfs(parts, 0, trace=True).trace
        for row, alone in zip(rows, mg.bfs(graph, 0, trace=True).trace, strict=True):
            same = "frontier", "output", "edges", "direction"
            assert [getattr(row, name) for name in same] == [getattr(alone, name) for name in same]
            assert MPI.COMM_WORLD.allgather(row.sent) == 4 * [row.sent]
        assert rows.rows[0].sent > 0
        assert "pull" in [row.direction for row in rows]
        print(f"done by {rank}\\n", flush=True, end="")
        """
    )
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
