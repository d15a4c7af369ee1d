"""The exceptions minigr raises for bad input, each a subclass of the built-in a caller would expect."""


class GraphError(ValueError):
    """The graph, or what it is built from, is not what the call needs: ids out of range, lengths that differ, ..."""


class FormatError(ValueError):
    """A file is not in the format it claims. Names the file and, where there are lines, the line.

    Parameters
    ----------
    path : path-like
    message : str
        What is wrong and what would be right.
    line : int, optional
        1-based line number.
    """

    def __init__(self, path, message, line=None):
        self.path, self.line = str(path), line
        where = f"{self.path}:{line}" if line is not None else self.path
        super().__init__(f"{where}: {message}")
        self._arguments = path, message, line

    def after(self, lines):
        """The same error, of a reader who counted lines from a place that so many lines come before."""
        path, message, line = self._arguments
        return type(self)(path, message, None if line is None else line + lines)

    def __reduce__(self):
        return type(self), self._arguments  # a worker of a cluster hands it on; Python would call it with one argument


class FunctorError(TypeError):
    """A functor can't be compiled, names an unknown field, or returns the wrong type."""


class FieldIndexError(IndexError):
    """An index is out of range for a field: in a run in debug mode, or where plain Python calls an atomic.

    After a run the message names the function, its line, the field, the index and the length, and the fields are not to
    be used.
    """


class ProblemError(ValueError):
    """A Problem, Frontier or Enactor is used in a way that has no defined result."""


class ArrayError(ValueError):
    """An array or a length is not what a primitive needs: wrong dtype, lengths that differ, offsets that fall, ..."""


class CapacityError(RuntimeError):
    """A frontier or buffer would have overflowed; the run was stopped and its output is not to be used."""


class MissingExtraError(ImportError):
    """A library that this call needs is not installed; the message names the extra of minigr that brings it."""


class MeasurementError(RuntimeError):
    """A benchmark can't be done: it does not fit the memory, a process failed, or two libraries disagree."""


class DeviceError(RuntimeError):
    """A device that doesn't exist or can't be used, or an array on another device than the call runs on."""


class SettingError(ValueError):
    """An environment variable of minigr has a value that it can't have."""


class EstimateError(RuntimeError):
    """What a call takes can't be told before it runs: it looks at values, or does what isn't counted."""


class PartError(RuntimeError):
    """Another process, which holds another part of a graph, failed; names the part and the cause."""


class OutOfMemoryError(MemoryError):
    """A device has no room for what a call needs; what the call was to change is as it was before."""


class CacheWarning(RuntimeWarning):
    """The folder for compiled programs can't be used; minigr works, but each process compiles its programs."""
