"""The measurements of ``minigr bench``: primitives, operators, apps and peers, dynamic graphs, memory, start-up.

Each module measures one thing and returns rows (`minigr.bench.document`); the command line prints and writes them.
Nothing here is imported by ``import minigr``.
"""
