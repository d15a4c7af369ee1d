"""What functors of the tests read from another module; no test module, so that pytest leaves its assertions alone."""

import minigr as mg

SCALE = 3
PAIR = (2, 5)


def inner(x):
    return x * SCALE + PAIR[1]


def outer(x):
    return inner(x) + inner(x + 1)


def failing(x):
    assert x > 0
    return x


def endless(x):
    return endless(x - 1) if x > 0 else 0


def ping(x):
    return pong(x - 1) if x > 0 else 0


def pong(x):
    return ping(x)


class Asserts(mg.Functor):
    def apply(vertex, y):
        assert y[vertex] >= 0
