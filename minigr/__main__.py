"""``python -m minigr``: the command line without the installed script."""

from minigr.cli import main

if __name__ == "__main__":
    main(prog_name="minigr")
