"""The exceptions that minigr raises. Each is a subclass of the built-in exception that a caller would expect."""


class GraphError(ValueError):
    """The graph, or the input that it is built from, is invalid for the call: ids out of range, unequal lengths, ..."""


class FormatError(ValueError):
    """A file is not in its stated format. The message names the file and, if known, the line.

    Parameters
    ----------
    path : path-like
    message : str
        A description of the error and of the expected input.
    line : int, optional
        1-based line number.
    """

    def __init__(self, path, message, line=None):
        self.path, self.line = str(path), line
        where = f"{self.path}:{line}" if line is not None else self.path
        super().__init__(f"{where}: {message}")
        self._arguments = path, message, line

    def after(self, lines):
        """The same error with its line number increased by `lines`, for a reader that starts after so many lines."""
        path, message, line = self._arguments
        return type(self)(path, message, None if line is None else line + lines)

    def __reduce__(self):
        return type(self), self._arguments  # for pickle, which would pass one argument


class FunctorError(TypeError):
    """A functor can't be compiled, names an unknown field, or returns the wrong type."""


class FieldIndexError(IndexError):
    """An index is out of range for a field, in a run in debug mode or in an atomic that plain Python calls.

    After a run, the message names the function, its line, the field, the index and the length. The fields must not be
    used after such a run.
    """


class ProblemError(ValueError):
    """A Problem, Frontier or Enactor is used in a way that has no defined result."""


class ArrayError(ValueError):
    """An array or a length is invalid for a primitive: wrong dtype, unequal lengths, decreasing offsets, ..."""


class CapacityError(RuntimeError):
    """A frontier or buffer would have overflowed. The run was stopped, and its output must not be used."""


class MissingExtraError(ImportError):
    """A library that this call needs is not installed. The message names the minigr extra that installs it."""


class MeasurementError(RuntimeError):
    """A benchmark can't be run: it does not fit into memory, a process failed, or two libraries disagree."""


class DeviceError(RuntimeError):
    """A device doesn't exist or can't be used, or an array is not on the device of the call."""


class SettingError(ValueError):
    """An environment variable of minigr has an invalid value."""


class EstimateError(RuntimeError):
    """The memory of a call can't be estimated: the call reads values, or performs an operation that isn't counted."""


class PartError(RuntimeError):
    """Another process, which holds another part of a graph, failed. The message names the part and the cause."""


class OutOfMemoryError(MemoryError):
    """A device has too little memory for a call. The objects that the call would have changed are unchanged."""


class CacheWarning(RuntimeWarning):
    """The folder for compiled programs can't be used. minigr works, but each process compiles its programs."""
