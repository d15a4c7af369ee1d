"""Files are written whole or not at all, and what stands at a path stays what it is."""

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import minigr as mg
from minigr.replace import check_writable, replacing

GRAPH = mg.generate.path(2000, device="cpu")
NAMES = ["a.npz", "a.txt", "a.csv", "a.mtx", "a.mtx.gz"]


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def umask(mask):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def not_as_root():
    """Root may write everywhere: go on as somebody else, in a folder of theirs."""
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() != 0:
            yield Path(folder)
            return
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            os.seteuid(0)


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_mode_that_open_gives(tmp_path, mask):
    with umask(mask):
        mg.write(GRAPH, tmp_path / "a.npz")
        (tmp_path / "plain").touch()
        assert mode_of(tmp_path / "a.npz") == mode_of(tmp_path / "plain")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_a_file_keeps_its_mode(tmp_path, mode):
    (tmp_path / "a.npz").touch()
    (tmp_path / "a.npz").chmod(mode)
    mg.write(GRAPH, tmp_path / "a.npz")
    assert mode_of(tmp_path / "a.npz") == mode
    assert mg.read(tmp_path / "a.npz").num_vertices == 2000


def test_writing_never_changes_the_umask(tmp_path):
    # Other threads make files meanwhile: the umask of the process must never be another one, for however short a time.
    changed = []

    def writer(name):
        for _ in range(200):
            with replacing(tmp_path / name) as handle:
                handle.write(b"0 1\n")

    def watcher():
        while any(thread.is_alive() for thread in writers):
            (tmp_path / "plain").touch(0o666)
            changed.extend([mode_of(tmp_path / "plain")] * (mode_of(tmp_path / "plain") != 0o600))
            (tmp_path / "plain").unlink()

    writers = [threading.Thread(target=writer, args=(name,)) for name in "abc"]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with umask(0o077):
            for thread in writers:
                thread.start()
            watcher()
    finally:
        sys.setswitchinterval(interval)
    assert changed == []


def test_a_file_that_may_not_be_written_to_is_refused():
    with not_as_root() as folder:
        path = folder / "a.npz"
        mg.write(GRAPH, path)
        path.chmod(0o444)
        before = path.read_bytes()
        with pytest.raises(PermissionError, match=r"a\.npz"):
            mg.write(mg.generate.path(3, device="cpu"), path)
        assert path.read_bytes() == before
        path.chmod(0o644)
        folder.chmod(0o555)
        try:
            with pytest.raises(PermissionError, match=r"folder .* can't be written to"):
                mg.write(mg.generate.path(3, device="cpu"), path)
        finally:
            folder.chmod(0o755)
        assert [entry.name for entry in folder.iterdir()] == ["a.npz"]


def test_a_symbolic_link_stays(tmp_path):
    (tmp_path / "there").mkdir()
    mg.write(mg.generate.path(3, device="cpu"), tmp_path / "there" / "a.npz")
    for name, target in (("link.npz", "there/a.npz"), ("again.npz", "link.npz"), ("ahead.npz", "there/new.npz")):
        (tmp_path / name).symlink_to(target)
    for name in ("again.npz", "ahead.npz"):
        mg.write(GRAPH, tmp_path / name)
        assert (tmp_path / name).is_symlink()
        assert mg.read(tmp_path / name).num_vertices == 2000
    assert (tmp_path / "link.npz").is_symlink()
    assert not (tmp_path / "there" / "a.npz").is_symlink()
    assert sorted(entry.name for entry in (tmp_path / "there").iterdir()) == ["a.npz", "new.npz"]


@pytest.mark.parametrize("name", ["a.npz", "a.txt", "a.mtx.gz", "a.parquet"])
def test_a_pipe_is_written_into(tmp_path, name):
    pipe = tmp_path / name
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    if name.endswith(".parquet"):
        mg.batch.write(mg.GraphBatch.from_graphs([GRAPH]), pipe)
    else:
        mg.write(GRAPH, pipe)
    reader.join(20)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    (tmp_path / f"got-{name}").write_bytes(got[0])
    read = mg.batch.read if name.endswith(".parquet") else mg.read
    assert read(tmp_path / f"got-{name}").num_vertices == 2000


@pytest.mark.parametrize("name", NAMES)
def test_a_device_is_written_into(tmp_path, name):
    for device in ("/dev/null", "/dev/full"):
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to(device)
        path = (tmp_path / "link").rename(tmp_path / name)
        if device == "/dev/null":
            mg.write(GRAPH, path)
        else:
            with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
                mg.write(GRAPH, path)
        assert stat.S_ISCHR(path.stat().st_mode)
        path.unlink()


@pytest.mark.parametrize("standard", ["file", "pipe"])
def test_standard_output_is_written_into(tmp_path, standard):
    link = tmp_path / "link.txt"
    link.symlink_to("/proc/self/fd/1")  # as /dev/stdout is, which a test had better leave alone
    code = f"import minigr as mg\nmg.write(mg.generate.path(3, device='cpu'), {str(link)!r})\nprint('end')"
    with (tmp_path / "out.txt").open("wb") as out:
        where = out if standard == "file" else subprocess.PIPE
        done = subprocess.run([sys.executable, "-c", code], stdout=where, check=True)
    if standard == "pipe":
        assert done.stdout.splitlines()[1:] == [b"0 1", b"1 2", b"end"]
    else:  # as for open(): the name starts at the beginning of the file, and the descriptor at its own place
        assert b"end" in (tmp_path / "out.txt").read_bytes()
    assert link.is_symlink()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link.txt", "out.txt"]


def write_and_raise(path, error):
    with replacing(path) as handle:
        handle.write(b"5 6\n")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file(tmp_path, error):
    for path in (tmp_path / "a.txt", tmp_path / "new.txt"):
        (tmp_path / "a.txt").write_text("0 1\n")
        with pytest.raises(error):
            write_and_raise(path, error)
        assert (tmp_path / "a.txt").read_text() == "0 1\n"
        assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("name", [*NAMES, "d.npz", "b.npz", "b.parquet"])
def test_a_full_disk_leaves_the_old_file(tmp_path, name):
    write = {
        "d.npz": lambda graph, path: mg.DynamicGraph.from_graph(graph).save(path),
        "b.npz": lambda graph, path: mg.batch.write(mg.GraphBatch.from_graphs([graph]), path),
        "b.parquet": lambda graph, path: mg.batch.write(mg.GraphBatch.from_graphs([graph]), path),
    }.get(name, mg.write)
    path = tmp_path / name
    write(mg.generate.path(3, device="cpu"), path)
    before = path.read_bytes()
    large = mg.generate.uniform(5000, 20000, device="cpu")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))  # Python ignores the signal and sees the error
    try:
        with pytest.raises(OSError, match=f"{os.strerror(errno.EFBIG)}; what was there before is unchanged: '{path}'"):
            write(large, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_a_kill_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("0 1\n")
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom minigr.replace import replacing\n"
        f"with replacing(Path({str(path)!r})) as handle:\n"
        "    handle.write(b'5 6' * 10000)\n    print('writing', flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(signal.SIGKILL)
    assert path.read_text() == "0 1\n"
    left = [entry.name for entry in tmp_path.iterdir() if entry != path]
    assert len(left) == 1
    assert left[0].startswith(".minigr-")
    assert left[0].endswith(".part")


def test_names_that_can_not_be_written(tmp_path):
    (tmp_path / "plain").touch()
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "loop.npz").symlink_to("loop.npz")
    for name, error, complaint in (
        ("folder.npz", IsADirectoryError, "give the name of a file"),
        ("missing/a.npz", FileNotFoundError, "create it first"),
        ("plain/a.npz", NotADirectoryError, "plain/a.npz"),
        ("loop.npz", OSError, "loop.npz"),
        ("n" * 252 + ".npz", OSError, "n" * 252),
    ):
        with pytest.raises(error, match=complaint):
            mg.write(GRAPH, tmp_path / name)
        with pytest.raises(error, match=complaint):
            check_writable(tmp_path / name)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder.npz", "loop.npz", "plain"]


def test_a_name_as_long_as_the_system_takes(tmp_path):
    name = "n" * 251 + ".npz"
    mg.write(GRAPH, tmp_path / name)
    assert np.load(tmp_path / name)["indptr"][-1] == 2 * 1999
