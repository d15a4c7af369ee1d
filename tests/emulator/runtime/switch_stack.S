// void switch_stack(void **save, void *load): keep the stack pointer of this fiber in *save, and continue with the fiber
// whose stack pointer is `load`. By the calling convention of x86-64 Linux, the callee saves these registers.
        .text
        .globl switch_stack
        .hidden switch_stack
        .type switch_stack, @function
switch_stack:
        push %rbp
        push %rbx
        push %r12
        push %r13
        push %r14
        push %r15
        mov %rsp, (%rdi)
        mov %rsi, %rsp
        pop %r15
        pop %r14
        pop %r13
        pop %r12
        pop %rbx
        pop %rbp
        ret
        .size switch_stack, .-switch_stack
        .section .note.GNU-stack, "", @progbits
