"""Records the passes of a model's attention layers, in whatever method they are used."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn

from nsac_core.circuit_attention import CircuitAttention
from nsac_core.internals import Internals


def layers(model: nn.Module) -> list[CircuitAttention]:
    """The attention layers in a model; one stands for all members of a stacked ensemble."""
    return [module for module in model.modules() if isinstance(module, CircuitAttention)]


@contextmanager
def recording(model: nn.Module) -> Iterator[list[Internals]]:
    """Lets the attention layers of a model note the internals of every pass while inside.

    A pass computes the same as without; outside of this context nothing is kept.

    Yields:
        The records, to be taken off by the caller: each pass adds one for each layer, and one for
        each member of an ensemble, in their order.
    """
    records: list[Internals] = []
    watched = layers(model)
    for layer in watched:
        layer.records = records
    try:
        yield records
    finally:
        for layer in watched:
            layer.records = None
