"""Paths along edges that leave at certain times."""

from minigr.apps.earliest_arrival.app import EarliestArrivalResult, earliest_arrival

__all__ = ["EarliestArrivalResult", "earliest_arrival"]
