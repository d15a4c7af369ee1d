"""A small compiler for kernels, generated programs and plain functors on the CPU, based on LLVM."""
