"""Properties that are computed once, without a lock."""

import os
import threading

import pytest

from minigr.cached import cached_property


class Squared:
    def __init__(self, root, computing=None, go_on=None):
        self.root, self.computing, self.go_on = root, computing, go_on

    @cached_property
    def value(self):
        if self.computing is not None:
            self.computing.set()
            self.go_on.wait()
        return [self.root**2]


def test_it_is_computed_once():
    squared = Squared(3)
    assert squared.value == [9]
    assert squared.value is squared.value
    assert isinstance(Squared.value, cached_property)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Python has os.fork on Unix only")
def test_a_child_forked_while_another_thread_computes_can_compute():
    computing, go_on = threading.Event(), threading.Event()
    other = threading.Thread(target=lambda: Squared(2, computing, go_on).value)
    other.start()
    computing.wait()
    child = os.fork()
    if child == 0:
        read = threading.Thread(target=lambda: Squared(3).value, daemon=True)
        read.start()
        read.join(timeout=5)
        os._exit(3 if read.is_alive() else 0)
    go_on.set()
    other.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
