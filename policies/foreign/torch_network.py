"""A torch network that was loaded from a file whole, code and weights."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from policies.errors import PolicyError
from policies.foreign.driver import PARTS, chosen_outputs
from policies.foreign.layout import Layout
from policies.foreign.scaling import Scaling

TorchModule = Callable[[Tensor], Any]


class TorchNetwork:
    """Runs a torch network.

    Attributes:
        layout: What it takes.
        batches: Whether it takes any number of observations.

    Args:
        content: Of the file.
        build: Makes the network of it; here, and again in each process that it is sent to.
        layout: What it takes.
        scaling: As what numbers.
        batches: Whether it takes any number of observations.
    """

    def __init__(
        self,
        content: bytes,
        build: Callable[[bytes], TorchModule],
        layout: Layout,
        scaling: Scaling,
        batches: bool = True,
    ) -> None:
        self.layout = layout
        self.batches = batches
        self._content = content
        self._build = build
        self._scaling = scaling
        self._module: TorchModule | None = build(content)

    @torch.inference_mode()
    def __call__(self, observations: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
        """The outputs that are driven with.

        Raises:
            PolicyError: It gives neither a tensor nor tensors by name.
        """
        assert self._module is not None
        given = torch.from_numpy(self._scaling(observations))
        # Not tuned to the inputs as it goes on: the first call and the last give the same.
        with torch.jit.optimized_execution(False):  # type: ignore[attr-defined]
            found = self._module(given)
        if isinstance(found, Tensor):
            found = {"action": found}
        if not isinstance(found, Mapping):
            expected = f"a tensor, or tensors by the names {', '.join(PARTS)}"
            raise PolicyError(f"gives {type(found).__name__}, expected {expected}")
        chosen = chosen_outputs(list(found))
        return {part: found[name].numpy() for part, name in chosen.items()}

    def __getstate__(self) -> dict[str, Any]:
        """All but the network, which cannot be sent to another process."""
        return {**vars(self), "_module": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._module = self._build(self._content)
