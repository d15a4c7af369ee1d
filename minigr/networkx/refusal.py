"""How a call is refused that turned out not to be answered exactly."""


class CannotAnswer(NotImplementedError):
    """Nothing is missing here: it is the error, and the only one, that has NetworkX ask its next backend.

    Raised for what only a conversion or an answer shows; all else is refused by `minigr.networkx.interface.can_run`.
    """
