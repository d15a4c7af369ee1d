"""SciPy's matrices whose arrays don't fit each other: SciPy itself would follow them out of its memory."""

import numpy as np
import pytest
import scipy.sparse

import minigr as mg
from minigr.errors import FormatError, GraphError

ENDS = ([0, 257, 2, -1], [0, 32513, 2, -(2**31) + 3], [1, 1, 1, 1], [0, 2, 1, 2])


@pytest.mark.parametrize("indptr", ENDS)
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_rows_that_end_nowhere(tmp_path, kind, indptr):
    indptr, held = np.array(indptr, np.int32), max(indptr[-1], 0)
    arrays = {"indices": np.zeros(held, np.int32), "data": np.ones(held)}
    np.savez(tmp_path / "a.npz", format=kind.encode(), shape=[3, 3], indptr=indptr, **arrays)
    with pytest.raises(FormatError, match=r"a\.npz.*not a SciPy matrix"):
        mg.read(tmp_path / "a.npz", device="cpu")
    matrix = getattr(scipy.sparse, f"{kind}_array")((3, 3))
    matrix.data, matrix.indices, matrix.indptr = arrays["data"], arrays["indices"], indptr
    with pytest.raises(GraphError, match="indptr of the matrix must begin with 0, never fall"):
        mg.Graph.from_scipy(matrix, directed=True, device="cpu")


@pytest.mark.parametrize(
    ("arrays", "complaint"),
    [
        ({"format": b"dia", "offsets": [2**62], "data": np.ones((1, 3))}, "a diagonal outside of the shape"),
        ({"format": b"bsr", "indptr": [0, 0], "indices": [0], "data": np.ones((1, 0, 3))}, r"blocks of shape \(0, 3\)"),
    ],
)
def test_places_that_are_none(tmp_path, arrays, complaint):
    np.savez(tmp_path / "a.npz", shape=[3, 3], **arrays)
    with pytest.raises(FormatError, match=complaint):
        mg.read(tmp_path / "a.npz", device="cpu")


def test_a_format_that_is_no_text(tmp_path):
    np.savez(tmp_path / "a.npz", shape=[3, 3], format=np.frombuffer(b"\xff\xff\xff\xff", "<U1"), data=np.ones(1))
    with pytest.raises(FormatError, match="format can't be read"):
        mg.read(tmp_path / "a.npz", device="cpu")
