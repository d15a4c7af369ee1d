"""Many small graphs at once: files of them, and what is found for each graph of a `minigr.GraphBatch`."""

from minigr.io.batches import read_batch as read
from minigr.io.batches import write_batch as write

__all__ = ["read", "write"]
