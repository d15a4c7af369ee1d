"""Eccentricities of vertices, and the diameter and the radius of a graph."""

from minigr.apps.eccentricity.app import DiameterResult, EccentricityResult, diameter, eccentricity

__all__ = ["DiameterResult", "EccentricityResult", "diameter", "eccentricity"]
