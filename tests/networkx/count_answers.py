"""A plugin of pytest that counts, for each function, the tests in which minigr answered it.

For NetworkX's own tests: ``pytest -p tests.networkx.count_answers`` with ``NETWORKX_TEST_BACKEND=minigr`` and
``MINIGR_ANSWERS=OUT.json`` in the environment writes the counts to OUT.json.
"""

import json
import os
from collections import defaultdict
from functools import wraps
from pathlib import Path

import networkx as nx

from minigr.networkx import interface

_tests = defaultdict(set)
_look_up = interface.__getattr__


def _counted(name):
    function = _look_up(name)

    @wraps(function)
    def call(*args, **kwargs):
        test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]
        try:
            answer = function(*args, **kwargs)
        except nx.NetworkXException:  # an answer too; a refusal isn't
            _tests[name].add(test)
            raise
        _tests[name].add(test)
        return answer

    return call


def pytest_configure(config):
    interface.__getattr__ = _counted


def pytest_sessionfinish(session):
    counts = {name: len(tests) for name, tests in sorted(_tests.items())}
    Path(os.environ["MINIGR_ANSWERS"]).write_text(json.dumps(counts, indent=1) + "\n")
