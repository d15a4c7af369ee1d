"""The error for calls that turn out not to be answerable exactly."""


class CannotAnswer(NotImplementedError):  # NetworkX tries its next backend only after this error
    """A call is left to another backend. It does not mean that something is not implemented.

    Raised for reasons that only a conversion or an answer shows. `minigr.networkx.interface.can_run` refuses other
    calls.
    """
