"""A sliding window over a stream of timed edges, and answers that follow the window."""

from minigr.apps.dynamic.stream.app import Step, stream
from minigr.apps.dynamic.stream.windows import MAX_STEPS

__all__ = ["MAX_STEPS", "Step", "stream"]
