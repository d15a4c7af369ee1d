"""Build the wheel, install it in an empty environment, and use it from there as a user does.

    python -m benchmarks.wheel [--json OUT]

The wheel is installed with its dependencies in a new environment. The command line and a program then run from a folder
that is not the checkout. The script fails if something is missing in the wheel, if the version of the wheel is not that
of the package, or if the wheel or the installation is larger than the limits below. It needs a package index and takes
about half a minute.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import minigr

ROOT = Path(__file__).resolve().parents[1]
MEGA = 1_000_000
MOST_CODE = 1.7 * MEGA
"""Compressed bytes of the wheel without its graphs."""
MOST_WHEEL = 3.2 * MEGA
MOST_INSTALLED = 500 * MEGA
"""Bytes of site-packages with all dependencies and their bytecode, except pip and setuptools."""

PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")
PROGRAM = """
import minigr as mg

graph = mg.read("roads")
assert mg.bfs(graph, 0).depth.max() > 100
print(mg.__version__)
"""


def build(folder: Path) -> Path:
    """Build the wheel from a copy of the sources, so that leftovers of an earlier build cannot get into it."""
    copy = folder / "sources"
    shutil.copytree(ROOT / "minigr", copy / "minigr", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    subprocess.run([sys.executable, *PIP, "wheel", "--no-deps", "--wheel-dir", folder, copy], check=True)
    [wheel] = folder.glob("*.whl")
    return wheel


def look_into(wheel: Path) -> dict[str, int]:
    """The sizes of the wheel, which must hold every file of the package."""
    with zipfile.ZipFile(wheel) as archive:
        held = {info.filename: info.compress_size for info in archive.infolist()}
    for ending in ("*.py", "*.pyi", "*.cuh", "py.typed", "data/*"):
        wanted = {str(path.relative_to(ROOT)) for path in (ROOT / "minigr").rglob(ending)}
        assert wanted, ending
        assert wanted <= held.keys(), f"not in the wheel: {sorted(wanted - held.keys())}"
    assert not [name for name in held if name.startswith(("tests", "benchmarks", "examples"))]
    data = sum(size for name, size in held.items() if name.startswith("minigr/data/"))
    return {"wheel": wheel.stat().st_size, "wheel without graphs": wheel.stat().st_size - data}


def install(wheel: Path, environment: Path) -> None:
    """Install the wheel in an environment that has nothing else."""
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    subprocess.run([environment / "bin" / "python", *PIP, "install", wheel], check=True)


def installed(environment: Path) -> dict[str, int]:
    """Bytes of each installed package, by the list that the installer made; without pip and setuptools."""
    [packages] = environment.glob("lib/python*/site-packages")
    sizes = {}
    for record in packages.glob("*.dist-info/RECORD"):
        name = record.parent.name.split("-")[0]
        if name not in ("pip", "setuptools"):
            paths = [packages / row[0] for row in csv.reader(record.read_text().splitlines())]
            sizes[name] = sum(path.stat().st_size for path in paths if path.exists())
    return dict(sorted(sizes.items(), key=lambda pair: -pair[1]))


def use(environment: Path, folder: Path) -> None:
    """Run the command line and a program, without access to the checkout."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    surroundings = {**kept, "MINIGR_DEVICE": "cpu", "MINIGR_CACHE_DIR": str(folder / "cache")}
    options = {"cwd": folder, "env": surroundings, "check": True, "capture_output": True, "text": True}
    for command in (["run", "bfs", "roads"], ["info", "wordnet"], ["generate", "path", "9", "path.mtx"]):
        subprocess.run([environment / "bin" / "minigr", *command], **options)
    done = subprocess.run([environment / "bin" / "python", "-c", PROGRAM], **options)
    assert done.stdout.strip() == minigr.__version__


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the sizes there, in bytes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        assert wheel.name.startswith(f"minigr-{minigr.__version__}-"), wheel.name
        sizes = look_into(wheel)
        install(wheel, folder / "env")
        packages = installed(folder / "env")
        use(folder / "env", folder)
    sizes["installed"] = sum(packages.values())
    limits = {"wheel": MOST_WHEEL, "wheel without graphs": MOST_CODE, "installed": MOST_INSTALLED}
    for what, size in [*sizes.items(), *packages.items()]:
        print(f"{what:22} {size / MEGA:8.2f} MB")
    if options.json:
        options.json.write_text(
            json.dumps({"python": sys.version.split()[0], "bytes": sizes, "packages": packages}, indent=1) + "\n"
        )
    over = [
        f"{what} is {sizes[what] / MEGA:.2f} MB, and at most {most / MEGA:g}"
        for what, most in limits.items()
        if sizes[what] > most
    ]
    if over:
        sys.exit("; ".join(over))


if __name__ == "__main__":
    main()
