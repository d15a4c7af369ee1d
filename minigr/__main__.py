"""The program ``minigr``, which ``python -m minigr`` also runs."""

from __future__ import annotations

import os
import sys

_INTERRUPTED = 130  # as in minigr.cli, which is not imported yet


def program() -> None:
    """Run the command line; after an interruption the process ends at once.

    Python would first wait for the threads that still read a file or compute.
    """
    try:
        from minigr.cli import main

        main(prog_name="minigr")
    except (KeyboardInterrupt, RuntimeError) as error:
        # A KeyboardInterrupt arrives here if it comes before the command line handles interruptions. Before Python
        # 3.12, a KeyboardInterrupt that comes while a class sets the names of its attributes is the cause of a
        # RuntimeError.
        if not isinstance(error, KeyboardInterrupt) and not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        print("interrupted", file=sys.stderr)
        os._exit(_INTERRUPTED)
    except SystemExit as end:
        if end.code == _INTERRUPTED:
            os._exit(_INTERRUPTED)
        raise


if __name__ == "__main__":
    program()
