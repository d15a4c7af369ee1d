"""The backend `minigr` of NetworkX: its functions, answered by minigr.

`functions` lists what is offered, `interface` is what NetworkX calls, and `graph` what it hands from one call to the
next. Modules are imported by NetworkX as it needs them, so none may import Numba before there is something to run.
"""
