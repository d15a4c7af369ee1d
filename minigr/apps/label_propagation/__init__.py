"""Communities by label propagation."""

from minigr.apps.label_propagation.app import LabelEnactor, LabelProblem, LabelPropagationResult, label_propagation

__all__ = ["LabelEnactor", "LabelProblem", "LabelPropagationResult", "label_propagation"]
