"""Paths along edges with departure times."""

from minigr.apps.earliest_arrival.app import EarliestArrivalResult, earliest_arrival

__all__ = ["EarliestArrivalResult", "earliest_arrival"]
