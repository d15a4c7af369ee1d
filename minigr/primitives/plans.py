"""The programs of all primitives by name, for those who compile them without running them."""

from minigr.primitives.compact import plan as compact
from minigr.primitives.lbs import plan as lbs
from minigr.primitives.scan import plan as scan
from minigr.primitives.segreduce import plan as segreduce
from minigr.primitives.transform import plan as transform

__all__ = ["compact", "lbs", "scan", "segreduce", "transform"]
