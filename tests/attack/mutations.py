"""Random changes of files."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

EXTREMES = (
    b"0", b"1", b"-1", b"2", b"7", b"-0", b"+1", b"1.0", b"1.5", b"1e2", b"1e400", b"1e-400", b"-1e308", b"nan", b"inf",
    b"-inf", b"0x10", b"1_0", b"TRUE", b"", b"65536", b"300000", b"300000000", b"2147483646", b"2147483647",
    b"2147483648", b"4294967296", b"9007199254740993", b"9223372036854775807", b"9223372036854775808",
    b"-9223372036854775809", b"18446744073709551616", b"9" * 40, b"9" * 5000, b"0" * 5000 + b"1", b"\xd9\xa1",
)  # fmt: skip
BYTES = b"0123456789 \t\n\r,.#%+-eEaAcpE\x00\xff\xef\xbb\xbf\"';:_"
_HEADER_BYTES = b"0123456789<>|bifucUSVOMm,()-"
_NUMBER = re.compile(rb"[0-9]+")
_TOKEN = re.compile(rb"[^\s,]+")


@dataclass(frozen=True)
class Seed:
    """A file to change.

    Attributes
    ----------
    content : bytes
    text : bool
        Whether mutations of lines and fields make sense.
    right : bool
        Whether the unchanged file must be readable.
    members : tuple of (checksum positions, begin, end)
        Parts that have a checksum, which is corrected after a change.
    """

    content: bytes
    text: bool = True
    right: bool = True
    members: tuple[tuple[tuple[int, ...], int, int], ...] = ()


def mutated(seed: Seed, random: Random, others: Sequence[Seed]) -> bytes:
    """The content of a seed after one change or a few changes."""
    content = seed.content
    if seed.members and random.random() < 0.7:
        return _in_member(seed, random)
    changes = _OF_TEXT if seed.text else _OF_BYTES
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        if random.random() < 0.03:
            other = random.choice(others).content
            content = content[: random.randrange(len(content) + 1)] + other[random.randrange(len(other) + 1) :]
        else:
            content = random.choice(changes)(content, random)
    return content


def _in_member(seed: Seed, random: Random) -> bytes:
    """Change bytes of an array in an archive, or digits of its header, and correct the checksums."""
    content = bytearray(seed.content)
    checksums, begin, end = random.choice(seed.members)
    header = content.find(b"\n", begin, end) + 1
    for _ in range(random.choice((1, 1, 2, 4))):
        in_header = random.random() < 0.4
        at = random.randrange(begin, header) if in_header else random.randrange(min(header, end - 1), end)
        content[at] = (
            random.choice(b"0123456789<>|bifucUSVOMm,()-") if in_header else random.choice((0, 1, 127, 128, 255))
        )
    for position in checksums:
        content[position : position + 4] = zlib.crc32(content[begin:end]).to_bytes(4, "little")
    return bytes(content)


def _flip(content: bytes, random: Random) -> bytes:
    if not content:
        return content
    changed = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 8))):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _cut(content: bytes, random: Random) -> bytes:
    return content[: random.randrange(len(content) + 1)]


def _slice(content: bytes, random: Random) -> tuple[int, int]:
    begin = random.randrange(len(content) + 1)
    return begin, min(len(content), begin + random.choice((1, 1, 2, 5, 40)))


def _delete(content: bytes, random: Random) -> bytes:
    begin, end = _slice(content, random)
    return content[:begin] + content[end:]


def _repeat(content: bytes, random: Random) -> bytes:
    begin, end = _slice(content, random)
    return content[:end] + content[begin:end] * random.choice((1, 1, 3)) + content[end:]


def _insert(content: bytes, random: Random) -> bytes:
    at = random.randrange(len(content) + 1)
    return content[:at] + bytes(random.choices(BYTES, k=random.choice((1, 1, 2, 6)))) + content[at:]


def _replace_number(content: bytes, random: Random) -> bytes:
    found = list(_NUMBER.finditer(content))
    if not found:
        return content
    where = random.choice(found[:6] if random.random() < 0.4 else found)  # headers are first, and chosen more often
    return content[: where.start()] + random.choice(EXTREMES) + content[where.end() :]


def _replace_field(content: bytes, random: Random) -> bytes:
    found = list(_TOKEN.finditer(content))
    if not found:
        return content
    where, other = random.choice(found), random.choice(found)
    text = random.choice((b"", other[0], where[0] + b" " + other[0], where[0] + b"," + other[0], other[0] + b"\r"))
    return content[: where.start()] + text + content[where.end() :]


def _change_lines(content: bytes, random: Random) -> bytes:
    lines = content.split(b"\n")
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(6)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[other])
    elif kind == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 3:
        lines.insert(at, random.choice((b"", b"# c", b"% c", b"c c", b"  ", b"\t", b"#" * 70000, b"a 1 2 3", b"1 2")))
    elif kind == 4:
        lines[at] += random.choice((b" ", b"\r", b" 5", b",", b",5", b" # c", b"%", b"\x00", b"\xc2\xa0", b"\x0b"))
    else:
        return content.replace(b"\n", random.choice((b"\r\n", b"\r", b"\n\n", b" \n")))
    return b"\n".join(lines)


_OF_BYTES: tuple[Callable[[bytes, Random], bytes], ...] = (_flip, _flip, _flip, _cut, _delete, _repeat, _insert)
_OF_TEXT = (*_OF_BYTES[2:], *[_replace_number] * 3, _replace_field, *[_change_lines] * 2)
