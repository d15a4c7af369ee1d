#!/usr/bin/env python3
"""Set up minigr beside this file and use it; needs Python 3.10 or newer with venv and pip, and nothing else.

    python3 bootstrap.py demo          BFS, SSSP and PageRank on the graphs that come with minigr
    python3 bootstrap.py test [ARG]    the tests; arguments go to pytest
    python3 bootstrap.py lint          ruff and mypy
    python3 bootstrap.py kernels       compile and link every CUDA kernel for every architecture; needs no GPU
    python3 bootstrap.py docs          build the documentation into site/

The environment is .venv. It is installed into again only when pyproject.toml, this folder's place, the Python version
or the extras that are needed have changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
STAMP = ENVIRONMENT / "minigr-installed.json"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

EXTRAS = {"demo": "", "test": "dev", "lint": "dev", "kernels": "cuda13", "docs": "docs"}
COMMANDS = {
    "demo": [
        ["minigr", "run", "bfs", "pagerank", "facebook"],
        ["minigr", "run", "bfs", "sssp", "pagerank", "andorra"],
    ],
    "test": [["pytest"]],
    "lint": [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]],
    "kernels": [["minigr.jit.build_all"]],
    "docs": [["sphinx", "-W", "-q", "docs", "site"]],
}


def check_version(version: tuple[Any, ...]) -> None:
    """Exit with a message unless `version` is one that minigr runs on."""
    if tuple(version[:2]) < (3, 10):
        found = ".".join(map(str, version[:3]))
        sys.exit(f"minigr needs Python 3.10 or newer and this is {found}: run bootstrap.py with a newer python3")


def parse(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The task, and the arguments to pass on to its tool."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=list(COMMANDS))
    options, rest = parser.parse_known_args(arguments)
    if rest and options.task != "test":
        parser.error(f"{options.task} takes no arguments, got: {' '.join(rest)}")
    return options.task, rest


def fingerprint() -> str:
    """What the environment's content depends on, hashed."""
    parts = [(ROOT / "pyproject.toml").read_bytes(), str(ROOT).encode(), sys.version.encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def install(extra: str) -> None:
    """Create the environment where it is missing, and install minigr with `extra` where that isn't there already."""
    stamp = {"fingerprint": fingerprint(), "extras": [""]}
    current = json.loads(STAMP.read_text()) if STAMP.exists() else None
    if current is not None and current["fingerprint"] == stamp["fingerprint"]:
        if extra in current["extras"]:
            return
        stamp["extras"] = current["extras"]
    else:
        print("creating .venv", flush=True)
        if subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=False).returncode != 0:
            sys.exit(
                f"could not create .venv: {sys.executable} may lack venv or ensurepip (Debian: install python3-venv)"
            )
    stamp["extras"] = sorted({*stamp["extras"], extra})
    wanted = ",".join(filter(None, stamp["extras"]))
    target = f"{ROOT}[{wanted}]" if wanted else str(ROOT)
    print(f"installing minigr{f' with {wanted}' if wanted else ''}", flush=True)
    run_module("pip", "install", "--quiet", "--disable-pip-version-check", "--editable", target)
    STAMP.write_text(json.dumps(stamp))


def run_module(*command: str) -> None:
    """Run ``python -m`` in the environment; exit with its code if it fails."""
    code = subprocess.run([str(PYTHON), "-m", *command], cwd=ROOT, check=False).returncode
    if code != 0:
        print(f"failed with exit code {code}: python -m {' '.join(command)}", file=sys.stderr)
        sys.exit(code)


def main(arguments: Sequence[str]) -> None:
    check_version(sys.version_info)
    task, rest = parse(arguments)
    install(EXTRAS[task])
    for command in COMMANDS[task]:
        print(f"$ python -m {' '.join([*command, *rest])}", flush=True)
        run_module(*command, *rest)


if __name__ == "__main__":
    main(sys.argv[1:])
