"""Uncertainty methods, one per file, behind one protocol."""

import inspect
import re
from typing import Any

from torch import nn

from maps.files.one_line_error import did_you_mean
from nsac_core.methods.deep_ensemble import DeepEnsemble
from nsac_core.methods.evidential import Evidential
from nsac_core.methods.gmle import GMLE
from nsac_core.methods.mc_dropout import MCDropout
from nsac_core.methods.nsac import NSACMethod
from nsac_core.methods.protocol import Method, Prediction
from nsac_core.methods.sde_net import SDENet

METHODS: dict[str, type[Method]] = {
    "nsac": NSACMethod,
    "gmle": GMLE,
    "deep_ensemble": DeepEnsemble,
    "mc_dropout": MCDropout,
    "evidential": Evidential,
    "sde_net": SDENet,
}
"""All methods by name."""

__all__ = [
    "GMLE",
    "METHODS",
    "DeepEnsemble",
    "Evidential",
    "MCDropout",
    "Method",
    "NSACMethod",
    "Prediction",
    "SDENet",
    "build",
]


def build(
    name: str,
    encoder: nn.Module,
    token_dim: int = 64,
    output_dim: int = 1,
    **options: Any,  # noqa: ANN401 - each method documents its own
) -> Method:
    """Builds an uncertainty method over an encoder.

    Args:
        name: A key of ``METHODS``.
        encoder: Any module from an input to tokens ``(batch, time, token_dim)``.
        token_dim: Features of a token.
        output_dim: Number of predicted values.
        **options: Settings of the method.

    Raises:
        ValueError: If there is no such method, or it has no such option.
    """
    if name not in METHODS:
        known = sorted(METHODS)
        guess = did_you_mean(name, known)
        raise ValueError(f"no uncertainty method {name!r}; {guess}there are {', '.join(known)}")
    try:
        return METHODS[name](encoder, token_dim=token_dim, output_dim=output_dim, **options)  # type: ignore[call-arg]
    except TypeError as fault:
        unknown = re.search(r"unexpected keyword argument '(\w+)'", str(fault))
        if unknown is None:
            raise
        parameters = inspect.signature(METHODS[name]).parameters.values()
        own = ", ".join(p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY)
        raise ValueError(
            f"{name} has no option {unknown[1]!r}; it has {own}, and those of its layer"
        ) from None
