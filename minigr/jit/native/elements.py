"""Elements of arrays and parts of arrays, in a translated function."""

from __future__ import annotations

from minigr.jit.index_checks import place_of
from minigr.jit.native.code import Value
from minigr.jit.native.errors import status_of
from minigr.jit.native.function import UNLIKELY, Function
from minigr.jit.native.types import BOOL, Array, Checked, Rows, Tuple, Unknown, array


class Elements(Function):
    """A function that reads and writes arrays."""

    def element(self, container: Value, indexes: list[Value]) -> str:
        """The address of an element."""
        if self.strict and any(index.type is BOOL for index in indexes):
            raise Unknown(f"a bool as an index in line {self._line}")
        if isinstance(container.type, (Rows, Checked)):
            return self._field_element(container, indexes)
        if not isinstance(container.type, Array) or len(indexes) != container.type.ndim:
            raise Unknown(f"an index of {container.type} in line {self._line}")
        return self.at(container, self._place(container, indexes))

    def _field_element(self, field: Value, indexes: list[Value]) -> str:
        """The address of an element. If a checked field has no such element, the function ends before the access."""
        if len(indexes) == 1 and isinstance(indexes[0].type, Tuple):
            indexes = self.items(indexes[0])
        if len(indexes) != (2 if field.type.columns else 1):
            raise Unknown(f"{len(indexes)} indexes of {field.type} in line {self._line}")
        self.refuse_outside(indexes, field.type.columns)
        places, (data,) = [self.word(index) for index in indexes], field.parts
        if isinstance(field.type, Checked):
            self.check(field, places)
            data = self.new(f"inttoptr i64 {self._word_of(field, 0)} to ptr")
        place, *columns = places
        for column in columns:
            place = self.new(f"add nsw i64 {self.new(f'mul nsw i64 {place}, {field.type.columns}')}, {column}")
        return self.new(f"getelementptr {field.type.element.memory}, ptr {data}, i64 {place}")

    def refuse_outside(self, indexes: list[Value], columns: int = 0) -> None:
        """Leave constants that are no index of the field to Numba, which reports the error."""
        constants = [_constant(index) for index in indexes]
        if any(each < 0 for each in constants) or (columns and constants[1] >= columns):
            raise Unknown(f"a constant index that is out of range in line {self._line}")

    def _word_of(self, field: Value, position: int) -> str:
        """A word of a checked field."""
        return self.new(f"load i64, ptr {self.new(f'getelementptr i64, ptr {field.parts[0]}, i64 {position}')}")

    def check(self, field: Value, places: list[str]) -> None:
        """End the function if a checked field has no element at an index, or at a row and a column."""
        index, *columns = places
        outside = self.new(f"icmp uge i64 {index}, {self._word_of(field, 1)}")  # a negative index is above all lengths
        for column in columns:
            beyond = self.new(f"icmp uge i64 {column}, {field.type.columns}")
            outside = self.new(f"or i1 {outside}, {beyond}")
        wrong, fill, leave, right = (self.label(each) for each in ("wrong", "fill", "leave", "right"))
        self.branch(outside, wrong, right, UNLIKELY)
        self.begin(wrong)
        record = self.new(f"inttoptr i64 {self._word_of(field, 3)} to ptr")
        claimed = self.new(f"cmpxchg ptr {record}, i64 0, i64 1 monotonic monotonic")
        self.branch(self.new(f"extractvalue {{ i64, i1 }} {claimed}, 1"), fill, leave)
        self.begin(fill)
        where = place_of(self.scope.function.__code__.co_filename, self._line)
        for position, value in enumerate((self._word_of(field, 2), str(where), *places), start=1):
            self.do(f"store i64 {value}, ptr {self.new(f'getelementptr i64, ptr {record}, i64 {position}')}")
        self.begin(leave)
        self.fail(str(status_of(IndexError)))
        self.begin(right)

    def _place(self, container: Value, indexes: list[Value]) -> str:
        """The number of the element, or of the row, at these indexes."""
        place = self._position(indexes[0], container.parts[1])
        for index, length in zip(indexes[1:], container.parts[2:], strict=False):
            scaled = self.new(f"mul i64 {place}, {length}")
            place = self.new(f"add i64 {scaled}, {self._position(index, length)}")
        return place

    def at(self, container: Value, place: str) -> str:
        """The address of the element at a position."""
        return self.new(f"getelementptr {container.type.element.memory}, ptr {container.parts[0]}, i64 {place}")

    def _position(self, index: Value, length: str) -> str:
        """The position of an index. A negative index counts from the end."""
        word = self.word(index)
        if self.strict and (index.type is BOOL or (index.known is not None and index.known < 0)):
            raise Unknown(f"the index {index.known} in line {self._line}")
        if index.nonnegative or index.type.kind in "ub":
            return word
        below = self.new(f"icmp slt i64 {word}, 0")
        return self.new(f"select i1 {below}, i64 {self.new(f'add i64 {word}, {length}')}, i64 {word}")

    def put(self, container: Value, element: str, value: Value) -> None:
        """Store a number as an element."""
        if not container.type.writable:
            raise Unknown(f"a write to an array that is read-only in line {self._line}")
        self.writes = True
        self.store(self.cast(value, container.type.element), element)

    def _row(self, container: Value, indexes: list[Value]) -> Value:
        place, rest = self._place(container, indexes), container.parts[1 + len(indexes) :]
        for length in rest:
            place = self.new(f"mul i64 {place}, {length}")
        kind = array(container.type.element, len(rest), container.type.writable)
        return Value(kind, (self.at(container, place), *rest))

    def view(self, container: Value, low: Value | None, high: Value | None) -> Value:
        """The slice ``a[low:high]`` of a one-dimensional array, clipped to the array as in Python."""
        if self.strict or not isinstance(container.type, Array) or container.type.ndim != 1:
            raise Unknown(f"a slice in line {self._line}")
        length = container.parts[1]
        first = "0" if low is None else self._bound(low, length)
        last = length if high is None else self._bound(high, length)
        size = self.new(f"sub i64 {last}, {first}")
        size = self.new(f"select i1 {self.new(f'icmp slt i64 {size}, 0')}, i64 0, i64 {size}")
        return Value(container.type, (self.at(container, first), size))

    def _bound(self, index: Value, length: str) -> str:
        place = self._position(index, length)
        place = self.new(f"select i1 {self.new(f'icmp slt i64 {place}, 0')}, i64 0, i64 {place}")
        return self.new(f"select i1 {self.new(f'icmp sgt i64 {place}, {length}')}, i64 {length}, i64 {place}")


def _constant(index: Value) -> int:
    """The known value of an index, also if it was an item of a tuple; 0 if the value is not known."""
    text = index.parts[0] if index.parts else ""
    return int(text) if text.lstrip("-").isdecimal() else 0
