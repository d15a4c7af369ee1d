"""Python functors compiled for both targets: native code by LLVM on the CPU, LTO-IR linked into kernels on the GPU."""
