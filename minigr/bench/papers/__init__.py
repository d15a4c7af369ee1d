"""The tables and figures of the papers that minigr carries on, each measured by the benches there are.

`exhibit` says what an exhibit is, `registry` lists the papers, and each paper has a file of its own.
"""
