"""Connected components."""

from minigr.apps.components.app import ComponentsResult, connected_components

__all__ = ["ComponentsResult", "connected_components"]
