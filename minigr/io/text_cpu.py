"""Lines of numbers as arrays: the CPU kernel for `minigr.io.table`, which implements the rule of `minigr.io.tokens`.

The threads of a team divide the lines of a block of text. If the kernel finds an error or something unusual (numbers of
more than 19 digits, infinity), it leaves the block, which is then read line by line.
"""

from __future__ import annotations

import numpy as np

from minigr.io.decimal_cpu import UNDECIDED, exact, is_exact, nearest
from minigr.jit.kernel import entry, kernel

SKIPPED, ID, NUMBER, MARK = 0, 1, 2, 3  # kinds of columns
ROWS, LINES, LEFT, REAL, LARGEST, FOUND_WORDS = 0, 1, 2, 3, 4, 16  # words of a thread's result
_TAB, _NEWLINE, _RETURN, _BLANK, _PLUS, _COMMA, _MINUS, _POINT, _ZERO = 9, 10, 13, 32, 43, 44, 45, 46, 48
_UPPER_E, _LOWER_E = 69, 101
_DIGITS = 19  # a number of so many digits always fits 64 bits


@kernel
def _at(text, place):
    return np.int64(text[np.uint64(place)])


@kernel
def _is_blank(character):
    return (character == _BLANK) | (character == _TAB)


@kernel
def _after_blanks(text, place):
    while _is_blank(_at(text, place)):
        place += 1
    return place


@kernel
def _after_line(text, place):
    """The end of the line. The character after it begins the next line."""
    while _at(text, place) != _NEWLINE:
        place += 1
    return place


@kernel
def _digits(text, place, value):
    """The number `value` continued with the digits at a position, as a uint64 that may overflow, and its end."""
    digit = _at(text, place) - _ZERO
    while digit >= 0 and digit <= 9:
        value = value * np.uint64(10) + np.uint64(digit)
        place += 1
        digit = _at(text, place) - _ZERO
    return value, place


@kernel
def _is_e(character):
    return (character == _UPPER_E) | (character == _LOWER_E)


@kernel
def _power(text, place):
    """The exponent at a position, 0 if there is none, and its end; the end is -1 if the exponent is unusual."""
    if not _is_e(_at(text, place)):
        return 0, place
    place += 1
    negative = _at(text, place) == _MINUS
    if negative or _at(text, place) == _PLUS:
        place += 1
    value, end = _digits(text, place, np.uint64(0))
    if end == place or end - place > 4:
        return 0, -1
    return (-np.int64(value) if negative else np.int64(value)), end


@kernel
def _leading_digits(text, place):
    """The first `_DIGITS` significant digits from a position on, across a point, and the number of further digits."""
    value, count, more = np.uint64(0), 0, 0
    while True:
        digit = _at(text, place) - _ZERO
        place += 1
        if digit == _POINT - _ZERO:
            continue
        if digit < 0 or digit > 9:
            return value, more
        if count == _DIGITS:
            more += 1
        else:
            value = value * np.uint64(10) + np.uint64(digit)
            count += value != np.uint64(0)


@kernel
def _real(text, begin, place, value, negative, powers, bits, reals, row):
    """Store the real number that begins with the digits `value`; return its end, or -1 if it is left."""
    whole, fraction, cut = place - begin, 0, False
    if _at(text, place) == _POINT:
        value, end = _digits(text, place + 1, value)
        fraction = end - place - 1
        place = end
    power, end = _power(text, place)
    if end < 0 or whole + fraction == 0:
        return np.int64(-1)
    exponent = power - fraction
    if whole + fraction > _DIGITS:
        value, more = _leading_digits(text, begin)
        exponent += more
        cut = more > 0
    if is_exact(value, exponent) and not cut:
        reals[np.uint64(row)] = exact(value, exponent, negative, powers)
        return end
    found = nearest(value, exponent, negative, powers)
    if cut and nearest(value + np.uint64(1), exponent, negative, powers) != found:
        found = np.uint64(UNDECIDED)
    bits[np.uint64(row)] = np.int64(found)
    return np.int64(-1) if found == np.uint64(UNDECIDED) else end


@kernel
def _number(text, place, powers, bits, reals, first, row, are_real):
    """Store the number at a position; return its end, or -1, and whether the numbers from `first` on are real.

    All numbers are whole until the first real number. The earlier numbers are then converted to real numbers.
    """
    negative = _at(text, place) == _MINUS
    if negative or _at(text, place) == _PLUS:
        place += 1
    value, end = _digits(text, place, np.uint64(0))
    count, after = end - place, _at(text, end)
    if after == _POINT or _is_e(after):
        if not are_real:
            for before in range(first, row):
                reals[np.uint64(before)] = float(bits[np.uint64(before)])
        return _real(text, place, end, value, negative, powers, bits, reals, row), True
    if count == 0 or count > _DIGITS or value >> np.uint64(63) != np.uint64(0):
        return np.int64(-1), are_real
    number = -np.int64(value) if negative else np.int64(value)
    if are_real:
        reals[np.uint64(row)] = float(number)
    else:
        bits[np.uint64(row)] = number
    return end, are_real


@kernel
def _id(text, place, lowest, highest):
    """The id at a position, and its end; the end is -1 if the id is left."""
    negative = _at(text, place) == _MINUS
    if negative or _at(text, place) == _PLUS:
        place += 1
    value, end = _digits(text, place, np.uint64(0))
    number = np.int64(value)
    if negative:
        number = -number
    good = end > place and end - place < _DIGITS and number >= lowest and number <= highest
    return number, (end if good else np.int64(-1))


@kernel
def _begins(text, length, rank, size):
    """The start of a thread's lines: after the end of a line, or at the start of the text."""
    place = length * rank // size
    if place == 0 or place >= length:
        return min(place, length)
    return _after_line(text, place - 1) + 1


@kernel
def _is_comment(character, signs):
    return character == signs[0] or character == signs[1]


@kernel
def _rest_of_row(text, place, signs):
    """The end of a line after its last field; -1 if more than blanks or a comment follows."""
    place = _after_blanks(text, place)
    if _is_comment(_at(text, place), signs):
        return _after_line(text, place)
    if _at(text, place) == _RETURN:
        place += 1
    return place if _at(text, place) == _NEWLINE else np.int64(-1)


@kernel
def _next_field(text, place, comma):
    """The start of the row's next field; -1 if there is no separator."""
    after = _after_blanks(text, place)
    if comma:
        return _after_blanks(text, after + 1) if _at(text, after) == _COMMA else np.int64(-1)
    return after if after > place else np.int64(-1)


@kernel
def _is_end(character):
    return (character == _NEWLINE) | (character == _RETURN)


@kernel
def _after_field(text, place, comma, signs):
    """The end of a field that is not read."""
    while True:
        character = _at(text, place)
        ends = character == _COMMA if comma else _is_blank(character)
        if ends or _is_end(character) or _is_comment(character, signs):
            return place
        place += 1


@entry
def parse(rank, size, sync, text, length, room, kinds, rule, powers, ids, bits, reals, found):
    """Store the columns of the rows of a block, from position ``room * rank`` on.

    Parameters
    ----------
    rank, size, sync : of a team
    text : uint8 array
        Ends with the end of a line.
    length : int
    room : int
        The number of rows for which a thread has space in the columns.
    kinds : uint8[columns]
        `SKIPPED`, `ID`, `NUMBER` or `MARK`.
    rule : tuple
        Whether commas separate fields, the two characters that begin a comment (256 for none), the character that
        begins a comment line, the mark, the lowest and the highest id, and whether numbers must be whole.
    powers : tuple of arrays
        `decimal_cpu.powers_of_five`.
    ids : int32[columns of ids * room * size] or int64
        The columns in order.
    bits, reals : int64[columns of numbers * room * size], and the same memory as float64
    found : int64[FOUND_WORDS * size]
        For each thread: `ROWS`, `LINES`, whether it `LEFT` its lines, `REAL` with a bit for each column of numbers, and
        the `LARGEST` id.
    """
    comma, signs, line_sign, mark, lowest, highest, whole = rule
    place, end = _begins(text, length, rank, size), _begins(text, length, rank + 1, size)
    first, stride = room * rank, room * size
    row, lines, left, real, largest = first, 0, False, 0, np.int64(-1)
    while place < end and not left:
        place = _after_blanks(text, place)
        character = _at(text, place)
        if character == _RETURN and _at(text, place + 1) == _NEWLINE:
            place += 1
            character = np.int64(_NEWLINE)
        if character == _NEWLINE:
            lines += 1
            place += 1
            continue
        if character == line_sign or _is_comment(character, signs):
            lines += 1
            place = _after_line(text, place) + 1
            continue
        id_column, number_column = row, row
        for column in range(kinds.size):
            kind = kinds[np.uint64(column)]
            if column > 0:
                place = _next_field(text, place, comma)
                if place < 0:
                    break
            if kind == ID:
                number, place = _id(text, place, lowest, highest)
                if place < 0:
                    break
                ids[np.uint64(id_column)] = number
                id_column += stride
                largest = max(largest, number)
            elif kind == NUMBER:
                bit = np.int64(1) << ((number_column - row) // stride)
                was_real = real & bit != 0
                begin = first + (number_column - row)
                place, is_real = _number(text, place, powers, bits, reals, begin, number_column, was_real)
                if place < 0 or (is_real and whole):
                    place = np.int64(-1)
                    break
                if is_real:
                    real = real | bit
                number_column += stride
            elif kind == MARK:
                place = place + 1 if _at(text, place) == mark else np.int64(-1)
                if place < 0:
                    break
            else:
                begin = place
                place = _after_field(text, begin, comma, signs)
                if place == begin and not comma:
                    place = np.int64(-1)
                    break
        if place >= 0:
            place = _rest_of_row(text, place, signs)
        if place < 0:
            left = True
            place = end
        else:
            row += 1
            lines += 1
            place += 1
    words = FOUND_WORDS * rank
    found[words + ROWS], found[words + LINES], found[words + LEFT] = row - first, lines, left
    found[words + REAL], found[words + LARGEST] = real, largest


@entry
def numbers_of_lines(text, lengths, numbers):
    """Store the whole numbers of all lines, and the count in each line; return the total count, -1 if text is left.

    The text ends with a line end. This is for files with one row per line, such as METIS files.
    """
    place, line, begun, count = 0, 0, 0, 0
    while place < text.size:
        character = _at(text, place)
        if character == _NEWLINE:
            lengths[line] = count - begun
            line, begun, place = line + 1, count, place + 1
        elif _is_blank(character) or (character == _RETURN and _at(text, place + 1) == _NEWLINE):
            place += 1
        else:
            negative = character == _MINUS
            if negative or character == _PLUS:
                place += 1
            value, end = _digits(text, place, np.uint64(0))
            after = _at(text, end)
            if (
                end == place
                or end - place >= _DIGITS
                or not (_is_blank(after) | (after == _NEWLINE) | (after == _RETURN))
            ):
                return -1
            numbers[np.uint64(count)] = -np.int64(value) if negative else np.int64(value)
            count, place = count + 1, end
    return count
