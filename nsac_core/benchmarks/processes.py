"""Work spread over processes of one torch thread each."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import joblib
import torch

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


def finished(
    work: Callable[[Item], Outcome], items: Sequence[Item], workers: int
) -> Iterator[Outcome]:
    """Yields what each item comes to, as soon as it is over; begun in the order given.

    Args:
        work: Does an item with one torch thread, as more would change sums and compete with the
            other processes; can be pickled.
        items: What to do.
        workers: Processes; one, or a single item, is left to this process itself.
    """
    if min(workers, len(items)) <= 1:
        yield from (_with_one_thread(work, item) for item in items)
        return
    ends = {"initializer": _end_with, "initargs": (os.getpid(),)}
    with joblib.parallel_config("loky", inner_max_num_threads=1, **ends):
        parallel = joblib.Parallel(
            n_jobs=min(workers, len(items)),
            batch_size=1,
            pre_dispatch="n_jobs",  # none waits in the queue, where an interruption would trip
            return_as="generator_unordered",
        )
        with _deaf_children():
            outcomes = parallel(joblib.delayed(_with_one_thread)(work, item) for item in items)
        yield from outcomes


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Lets processes that begin meanwhile never hear Ctrl+C: their parent does, and ends them.

    One that hears it while it is still importing prints a traceback.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end_with(parent: int) -> None:
    """Lets this process, as it begins, end soon after its parent; loky's would wait for ever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _with_one_thread(work: Callable[[Item], Outcome], item: Item) -> Outcome:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return work(item)
    finally:
        torch.set_num_threads(threads)
