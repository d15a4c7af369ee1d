"""The backend `minigr` of NetworkX: functions of NetworkX that minigr computes.

`functions` lists the functions, `interface` has the functions that NetworkX calls, and `graph` has the graph that
NetworkX passes from one call to the next. NetworkX imports modules as needed, so no module may import Numba before a
computation.
"""
