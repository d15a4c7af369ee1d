"""Connected communities of high modularity."""

from minigr.apps.leiden.app import leiden

__all__ = ["leiden"]
