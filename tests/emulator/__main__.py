"""Run the tests in `choice.py` on the emulator; skip them if the emulator can't run.

python -m tests.emulator
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.emulator.choice import arguments
from tests.emulator.requirements import missing

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    if reason := missing():
        print(f"passed over: {reason}")
        return
    command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "-n", "auto", "--dist", "worksteal", *arguments()]
    environment = {**os.environ, "MINIGR_EMULATE": "1"}
    sys.exit(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
