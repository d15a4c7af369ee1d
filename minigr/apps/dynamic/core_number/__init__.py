"""Core numbers that follow their graph."""

from minigr.apps.dynamic.core_number.app import CoreNumber

__all__ = ["CoreNumber"]
