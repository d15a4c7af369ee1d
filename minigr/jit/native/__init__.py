"""A small compiler of kernels, generated programs and plain functors for the CPU, by way of LLVM."""
