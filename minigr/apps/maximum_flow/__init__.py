"""A maximum flow, and a minimum cut."""

from minigr.apps.maximum_flow.app import MaximumFlowResult, Method, maximum_flow

__all__ = ["MaximumFlowResult", "Method", "maximum_flow"]
