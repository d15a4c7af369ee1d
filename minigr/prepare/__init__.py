"""Programs made beforehand: so that no first call compiles, and so that all kernels for GPUs are known to compile.

`calls` runs the ready algorithms over the small graphs of `graphs`. The programs of that are kept for this machine, by
`machine`. `everything` lists programs that are only recorded, those of the apps and what users could write;
`check` links them for each generation of architectures.
"""
