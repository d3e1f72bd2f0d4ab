import ctypes
import gc
import sys
from pathlib import Path

import pytest

import policies
from evaluation.closed_loop import Chunk, Conditions, drive_chunk
from evaluation.limits import Renderer

LAPS = 24
"""Driven after as many that fill the caches."""


def bytes_in_use() -> int:
    """Of the C library's heap, where pages that wait for reuse do not count."""

    class Heap(ctypes.Structure):
        names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
        _fields_ = [(name, ctypes.c_size_t) for name in names.split()]

    gc.collect()
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Heap
    heap = mallinfo()
    return int(heap.uordblks + heap.hblkhd)


@pytest.mark.skipif(sys.platform != "linux", reason="asks glibc")
@pytest.mark.parametrize("renderer", ["none", "fast"])
def test_a_lap_leaves_nothing_behind(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    name = "Scripted" if renderer == "none" else "Blindfold"
    policy = policies.load(f"closed_loop_policies:{name}")

    def drive(laps: int) -> None:
        for number in range(laps // 2):
            drive_chunk(policy, Chunk(number, 0, ("oval", "oval")), Conditions(renderer, 0, 3))

    drive(LAPS)
    before = bytes_in_use()
    drive(LAPS)
    assert (bytes_in_use() - before) / LAPS < 1500.0
