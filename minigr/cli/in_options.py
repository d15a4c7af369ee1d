"""Messages in the words of the command line: ``--columns`` instead of ``columns=``, as Python's callers write."""

from __future__ import annotations

import re

import click

from minigr.errors import FormatError

_PARAMETER = re.compile(r"""(?<![\w-])([a-z]\w*)=('[^']*'|\((?:["'][^"']*["'],? ?)+\)|[-+]?\w*)""")
_NAMES = re.compile("""["']([^"']*)["']""")


def in_options(error: BaseException, command: click.Command | None) -> str:
    """The message of an error, with the options of the command that failed in place of parameters of Python.

    The name of a file at the begin of a message stays as it is. So does a parameter that the command does not have.

    Examples
    --------
    >>> from minigr.cli.convert import convert
    >>> print(in_options(ValueError("pass relabel=True or num_vertices=9, and weights=False; columns= ..."), convert))
    pass --relabel or num_vertices=9, and --no-weights; --columns ...
    >>> print(in_options(ValueError("say what they hold, e.g. columns=('src', 'dst')"), convert))
    say what they hold, e.g. --columns src,dst
    >>> print(in_options(FormatError("label=x.gml", "two nodes are called 'x'; pass label='id'"), convert))
    label=x.gml: two nodes are called 'x'; pass --label id
    """
    if isinstance(error, OSError) or command is None:  # messages of the system have no parameters
        return str(error)
    options = {option.name: option for option in command.params if isinstance(option, click.Option)}

    def option_of(found: re.Match[str]) -> str:
        name, value = found.groups()
        if value == "False" and f"no_{name}" in options:
            return options[f"no_{name}"].opts[0]
        option = options.get(name)
        if option is None:
            return found[0]
        if not option.is_flag:
            value = ",".join(_NAMES.findall(value)) or value
            return f"{option.opts[0]} {value}" if value else option.opts[0]
        if value == "False":
            return option.secondary_opts[0] if option.secondary_opts else f"no {option.opts[0]}"
        return option.opts[0]

    file = error.path if isinstance(error, FormatError) else ""
    return file + _PARAMETER.sub(option_of, str(error).removeprefix(file))
