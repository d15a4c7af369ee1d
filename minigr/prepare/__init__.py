"""Programs compiled in advance: no first call compiles, and all kernels for GPUs are known to compile.

`calls` runs the ready algorithms over the small graphs of `graphs`. `machine` compiles the programs of these runs for
this machine. `everything` lists all programs to check, which are only recorded: programs of the apps, and programs that
users could write. `check` links them for each generation of architectures.
"""
