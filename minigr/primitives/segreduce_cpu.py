"""CPU kernel of `segreduce`: each thread gets an equal part of the merge path.

If a segment goes on after a thread's part, the partial result is passed on, in the order of threads. So the result
depends only on the number of threads.
"""

from minigr.jit.kernel import kernel
from minigr.jit.spmd import barrier
from minigr.primitives.split_cpu import merge_place

HEAD, TAIL, SEGMENT, MARKS = 0, 1, 2, 3  # columns of `marks`: head has items, tail has items, the head's segment or -1


def make_segreduce(value, op, first_of, kind):
    """A segmented reduction; `kind` is its type. `carries` is [threads, 2], and `marks` is [threads, MARKS].

    The reduction of a range begins with ``first_of`` of the first value.
    """

    @kernel
    def reduce_range(fields, seg, begin, first, last):
        total = first_of(kind(value(fields, first, seg, first - begin)))
        for idx in range(first + 1, last):
            total = op(total, kind(value(fields, idx, seg, idx - begin)))
        return total

    @kernel
    def segreduce(rank, size, sync, fields, offsets, initial, carries, marks, out):
        seg, first = merge_place(offsets, rank, size)
        last_seg, last = merge_place(offsets, rank + 1, size)
        marks[rank, HEAD], marks[rank, TAIL], marks[rank, SEGMENT] = 0, 0, -1
        if seg < last_seg:  # the first segment that ends here may have begun in another thread's part
            end = offsets[seg + 1]
            marks[rank, SEGMENT] = seg
            if first < end:
                marks[rank, HEAD] = 1
                carries[rank, HEAD] = reduce_range(fields, seg, offsets[seg], first, end)
            first = end
            seg += 1
        while seg < last_seg:
            end = offsets[seg + 1]
            if first < end:
                out[seg] = op(initial, reduce_range(fields, seg, offsets[seg], first, end))
            else:
                out[seg] = initial
            first = end
            seg += 1
        if first < last:
            marks[rank, TAIL] = 1
            carries[rank, TAIL] = reduce_range(fields, seg, offsets[seg], first, last)
        barrier(sync, size)
        if marks[rank, SEGMENT] >= 0:
            before = rank
            while before > 0 and (before == rank or marks[before, SEGMENT] < 0):
                before -= 1
            total = initial
            for other in range(before, rank):
                if marks[other, TAIL] != 0:
                    total = op(total, carries[other, TAIL])
            if marks[rank, HEAD] != 0:
                total = op(total, carries[rank, HEAD])
            out[marks[rank, SEGMENT]] = total

    return segreduce
