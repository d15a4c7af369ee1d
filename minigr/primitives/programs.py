"""The programs of all primitives by name, for callers that compile them without running them."""

from minigr.primitives.compact import program_of as compact
from minigr.primitives.lbs import program_of as lbs
from minigr.primitives.scan import program_of as scan
from minigr.primitives.segreduce import program_of as segreduce
from minigr.primitives.transform import program_of as transform

__all__ = ["compact", "lbs", "scan", "segreduce", "transform"]
