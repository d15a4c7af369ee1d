"""The tables and figures of the papers behind minigr, each measured by the existing benches.

`exhibit` says what an exhibit is, `registry` lists the papers, and each paper has a file of its own.
"""
