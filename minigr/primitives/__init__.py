"""The primitives: transform, scan, lbs, segreduce, compact. Arrays in, arrays out, parameterised by functions.

Functions are plain Python functions or lambdas; they ask by name for what the primitive supplies and for the arrays and
numbers given to the call by keyword, and are compiled as functors are. On the GPU a primitive is a grid collective, a
device function in a header of this folder that all threads of a grid call together, which finds its length in device
memory; an operator's kernel may call it as well.
"""

from minigr.primitives.compact import compact
from minigr.primitives.lbs import lbs
from minigr.primitives.scan import scan
from minigr.primitives.segreduce import segreduce
from minigr.primitives.transform import transform

__all__ = ["compact", "lbs", "scan", "segreduce", "transform"]
