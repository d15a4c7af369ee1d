"""Communities of high modularity that are connected."""

from minigr.apps.leiden.app import leiden

__all__ = ["leiden"]
