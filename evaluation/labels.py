"""How tables and figures call a policy under a perturbation, so that no two are put together."""

import re
import zlib

import pandas as pd

from evaluation.perturbations import CLEAN, Perturbed

CONDITION = ["policy", "perturbation", "severity"]
"""Columns that tell apart what must not be averaged together."""


def label(policy: str, perturbed: Perturbed) -> str:
    """The policy's name, and the perturbation's unless the laps are clean."""
    return policy if perturbed == CLEAN else f"{policy}, {perturbed}"


def labelled(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with a column ``policy`` that names the perturbation too; clean ones as they are.

    Args:
        frame: Laps, steps or anything else with the columns ``CONDITION``.
    """
    if frame.empty or (frame["perturbation"] == CLEAN.name).all():
        return frame
    rows = list(zip(*(frame[name] for name in CONDITION), strict=True))
    names = {row: label(str(row[0]), Perturbed(str(row[1]), int(row[2]))) for row in set(rows)}
    return frame.assign(policy=[names[row] for row in rows])


def file_name(label: str) -> str:
    """The label where it can name a folder, and else something like it that is as unique."""
    name = re.sub(r"[^\w.-]|^\.", "_", label)
    return name if name == label else f"{name}-{zlib.crc32(label.encode()):08x}"
