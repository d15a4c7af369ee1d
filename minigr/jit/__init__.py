"""Python functors compiled for both targets: Numba on the CPU, LTO-IR linked into operator kernels on the GPU."""
