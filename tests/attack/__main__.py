"""Run attacks: ``python -m tests.attack NAME [NAME ...] --count N --seed S``; exits with 1 if there was a fault.

Each attack is a module beside this file with a function ``attack(count, seed, report)``. The same seed makes the same
trials. Attacks take minutes and are not part of the test suite.
"""

from __future__ import annotations

import argparse
import pkgutil
import sys
import time
from importlib import import_module

import tests.attack
from tests.attack.report import Report


def names() -> list[str]:
    """The names of all attacks."""
    found = [module.name for module in pkgutil.iter_modules(tests.attack.__path__)]
    return sorted(name for name in found if hasattr(import_module(f"tests.attack.{name}"), "attack"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("names", nargs="+", choices=names(), metavar="NAME", help=", ".join(names()))
    parser.add_argument("--count", type=int, default=1000, help="trials of each attack (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="what trials are drawn from (default: %(default)s)")
    options = parser.parse_args()
    faults = 0
    for name in options.names:
        report, started = Report(name, options.count), time.monotonic()
        import_module(f"tests.attack.{name}").attack(options.count, options.seed, report)
        print(f"{report}, seed {options.seed}, {time.monotonic() - started:.0f} s", flush=True)
        faults += report.faults
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
