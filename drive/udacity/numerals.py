"""Numbers as the simulator's locale writes and reads them (.NET format N4, `float.Parse`)."""

import math
import re
from typing import Literal

Decimal = Literal[".", ","]

# Groups of two or three digits (India has both), after the other separator, space or apostrophe.
_N4 = re.compile(r"[-\u2212]?[0-9]{1,12}(?:[.,\u00a0\u202f '\u2019][0-9]{2,3}){0,4}([.,])[0-9]{4}")
_STEER = {
    ".": re.compile(r"[-+]?[0-9]{1,12}(?:\.[0-9]{1,12})?"),
    ",": re.compile(r"[-+]?[0-9]{1,12}(?:,[0-9]{1,12})?"),
}


def other(decimal: Decimal) -> Decimal:
    """The separator that groups thousands where `decimal` marks the fraction."""
    return "," if decimal == "." else "."


def read_n4(text: str) -> tuple[float, Decimal]:
    """Value and decimal separator of a number in .NET's format N4, whatever the locale.

    Such a number always ends in a separator and four digits, so `1,234.5678`, `1.234,5678` and
    `12,1822` are all unambiguous.

    Raises:
        ValueError: If `text` is no such number.
    """
    match = _N4.fullmatch(text)
    decimal: Decimal = "," if match and match[1] == "," else "."
    if match is None or decimal in text[:-5]:
        raise ValueError(f"expected a number with four decimals such as 0.1000, got {text[:20]!r}")
    whole = re.sub("[^0-9]", "", text[:-5])
    value = float(f"{whole}.{text[-4:]}")
    return (-value if text[0] in "-\u2212" else value), decimal


def write_n4(value: float, decimal: Decimal = ".") -> str:
    """`value` in .NET's format N4: grouped thousands, four decimals, no negative zero."""
    text = f"{_finite(value):,.4f}"
    return text if decimal == "." else text.translate(str.maketrans(".,", ",."))


def read_steer_number(text: str, decimal: Decimal = ".") -> float:
    """Read a number of a steer event as `float.Parse` does in a locale with this separator.

    The other separator only groups digits and is dropped: a comma locale reads `0.05` as 5.
    Stricter than .NET where servers should be too: no exponent, no blank, no word.

    Raises:
        ValueError: If `text` is not one finite decimal number; the simulator's handler would throw.
    """
    digits = text.replace(other(decimal), "")
    if not _STEER[decimal].fullmatch(digits):
        raise ValueError(f"expected one decimal number, got {text[:20]!r}")
    return float(digits.replace(decimal, "."))


def write_steer_number(value: float, decimal: Decimal = ".") -> str:
    """`value` cut to [-1, 1] with four decimals (0.0025 degrees of steering), never as `1e-05`.

    Raises:
        ValueError: If `value` is not finite.
    """
    return write_n4(min(max(_finite(value), -1.0), 1.0), decimal)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"expected a finite number, got {value}")
    return round(value, 4) + 0.0  # -0.0 + 0.0 is 0.0
