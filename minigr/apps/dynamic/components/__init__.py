"""Connected components that follow their graph."""

from minigr.apps.dynamic.components.app import ConnectedComponents

__all__ = ["ConnectedComponents"]
