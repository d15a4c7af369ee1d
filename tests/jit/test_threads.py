"""How many threads a call has: by call, by variable, by affinity and by the quota of control groups."""

import math
import os

import numpy as np
import pytest

import minigr as mg
from minigr.errors import SettingError
from minigr.jit import threads


@pytest.fixture(autouse=True)
def nothing_asked_for(monkeypatch):
    monkeypatch.delenv(threads.THREADS_VARIABLE, raising=False)
    yield
    mg.set_num_threads(None)


def test_the_call_overrides_the_variable_and_none_ends_it(monkeypatch):
    cores = mg.get_num_threads()
    assert 1 <= cores <= os.cpu_count()
    monkeypatch.setenv(threads.THREADS_VARIABLE, "2")
    assert mg.get_num_threads() == 2
    mg.set_num_threads(np.int64(3))
    assert mg.get_num_threads() == 3
    mg.set_num_threads(None)
    assert mg.get_num_threads() == 2
    monkeypatch.delenv(threads.THREADS_VARIABLE)
    assert mg.get_num_threads() == cores


def test_the_next_call_has_as_many_threads():
    graph, ranks = mg.generate.uniform(20_000, 200_000, device="cpu"), []
    for count in (1, 3, 2):
        mg.set_num_threads(count)
        ranks.append(mg.pagerank(graph).rank)
    for rank in ranks[1:]:
        np.testing.assert_allclose(rank, ranks[0], rtol=1e-9)


@pytest.mark.parametrize("text", ["1000000", "9" * 5000, "abc", "0", "-1", ""])
def test_a_variable_that_makes_no_sense(text, monkeypatch):
    monkeypatch.setenv(threads.THREADS_VARIABLE, text)
    with pytest.raises(SettingError, match=r"MINIGR_NUM_THREADS=.*(at most \d+|whole number of at least 1)"):
        mg.get_num_threads()


@pytest.mark.parametrize("count", [10**6, 0, -1, 1.5, True, "two"])
def test_a_call_that_makes_no_sense_changes_nothing(count):
    mg.set_num_threads(2)
    with pytest.raises(SettingError, match=r"set_num_threads\(.*\): .*(at most \d+|whole number of at least 1)"):
        mg.set_num_threads(count)
    assert mg.get_num_threads() == 2


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, math.inf),
        ({"proc/self/cgroup": "0::/\n"}, math.inf),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n"}, math.inf),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/b/cpu.max": "350000 100000\n",
                "sys/fs/cgroup/a/cpu.max": "300000 200000\n",
            },
            1.5,
        ),
        ({"proc/self/cgroup": "0::/docker/1\n", "sys/fs/cgroup/cpu.max": "50000 100000\n"}, 0.5),
        (
            {
                "proc/self/cgroup": "9:name=systemd:/\n4:cpu,cpuacct:/docker/1:2\n0::/\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "400000\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
                "sys/fs/cgroup/cpu/docker/1:2/cpu.cfs_quota_us": "-1\n",
            },
            4.0,
        ),
    ],
)
def test_the_quota_of_control_groups(tmp_path, files, expected):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert threads.quota(tmp_path) == expected


@pytest.mark.parametrize(("quota", "expected"), [(0.5, 1), (1.9, 1), (math.inf, None)])
def test_part_of_a_core_is_not_counted(monkeypatch, quota, expected):
    free = mg.get_num_threads()
    monkeypatch.setattr(threads, "quota", lambda: quota)
    assert mg.get_num_threads() == (expected or free)
