"""How a call is refused that turned out not to be answered exactly."""


class CannotAnswer(NotImplementedError):  # the error, and the only one, that has NetworkX ask its next backend
    """A call that is left to another backend. Nothing is missing here.

    Raised for what only a conversion or an answer shows; all else is refused by `minigr.networkx.interface.can_run`.
    """
