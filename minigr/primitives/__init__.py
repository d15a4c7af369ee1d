"""The primitives: transform, scan, lbs, segreduce, compact. They take arrays, return arrays, and call functions.

The functions are plain Python functions or lambdas. A function asks by name for the values that the primitive supplies,
and for the arrays and numbers that the call passes by keyword. Functions are compiled as functors are. On the GPU, a
primitive is a grid collective: a device function in a header of this folder that all threads of a grid call together.
The device function reads its length from device memory, and the kernel of an operator may also call it.
"""

from minigr.primitives.compact import compact
from minigr.primitives.lbs import lbs
from minigr.primitives.scan import scan
from minigr.primitives.segreduce import segreduce
from minigr.primitives.transform import transform

__all__ = ["compact", "lbs", "scan", "segreduce", "transform"]
