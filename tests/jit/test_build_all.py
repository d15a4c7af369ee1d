"""The list of what CI compiles; compiling it is CI's."""

from minigr.jit.build_all import programs


def test_every_program_is_recorded_under_a_name_of_its_own():
    names = [name for name, _ in programs()]
    assert len(names) > 500
    assert len(set(names)) == len(names)
