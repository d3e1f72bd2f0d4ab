"""Tables of means and standard deviations, as Markdown and as LaTeX."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

Direction = Literal["low", "high"] | float | None
"""What is better: a low or a high number, the nearest to a number, or nothing in particular."""


@dataclass(frozen=True)
class Number:
    """A number of a table.

    Attributes:
        mean: NaN shows as a dash.
        std: Its standard deviation, or None.
        digits: Shown after the point; negative for that many significant ones.
        best: Whether it is bold.
    """

    mean: float
    std: float | None = None
    digits: int = 4
    best: bool = False

    @classmethod
    def of(cls, values: Sequence[float], digits: int = 4) -> "Number":
        """Mean and population standard deviation over runs."""
        array = np.asarray(values, dtype=np.float64)
        if not len(array):
            return cls(math.nan)
        return cls(float(array.mean()), float(array.std()), digits)

    @property
    def rounded(self) -> float:
        """The mean as it is shown."""
        return float(self._shown(self.mean))

    def _shown(self, value: float) -> str:
        if self.digits >= 0:
            return f"{value:.{self.digits}f}"
        if 0 < abs(value) < 0.01:
            return f"{value:.{-self.digits - 1}e}"
        return f"{value:#.{-self.digits}g}".removesuffix(".")

    def markdown(self) -> str:
        """``mean ± std``."""
        if math.isnan(self.mean):
            return "-"
        text = self._shown(self.mean)
        if self.std is not None:
            text += f" ± {self._shown(self.std)}"
        return f"**{text}**" if self.best else text

    def latex(self) -> str:
        r"""``$mean \pm std$``."""
        if math.isnan(self.mean):
            return "--"
        shown = _powers_of_ten(self._shown(self.mean))
        if self.std is not None:
            shown += rf" \pm {_powers_of_ten(self._shown(self.std))}"
        return rf"$\mathbf{{{shown}}}$" if self.best else f"${shown}$"


Field = str | Number


@dataclass(frozen=True)
class Sheet:
    """A table.

    Attributes:
        name: Unique within a run.
        caption: One sentence.
        head: Names of the columns.
        rows: Fields, as many as there are columns.
    """

    name: str
    caption: str
    head: list[str]
    rows: list[list[Field]]

    def markdown(self) -> str:
        """The table in Markdown, without its caption."""
        lines = [_line(self.head), _line(["---", *["--:"] * (len(self.head) - 1)])]
        lines += [
            _line([f if isinstance(f, str) else f.markdown() for f in row]) for row in self.rows
        ]
        return "\n".join(lines) + "\n"

    def latex(self) -> str:
        r"""A ``table`` environment; needs the package ``booktabs``."""
        body = [" & ".join(_latex(field) for field in row) + r" \\" for row in self.rows]
        return "\n".join(
            [
                r"\begin{table}",
                r"\centering",
                rf"\caption{{{_latex(self.caption)}}}",
                rf"\begin{{tabular}}{{l{'r' * (len(self.head) - 1)}}}",
                r"\toprule",
                " & ".join(_latex(name) for name in self.head) + r" \\",
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
                "",
            ]
        )


def with_best(column: Sequence[Number], direction: Direction) -> list[Number]:
    """The column with its best numbers marked, as they are shown: equals are equally best."""
    valid = [number.rounded for number in column if not math.isnan(number.mean)]
    if direction is None or len(valid) < 2:
        return list(column)

    def badness(value: float) -> float:
        if isinstance(direction, str):
            return value if direction == "low" else -value
        return abs(value - direction)

    least = min(badness(value) for value in valid)
    return [replace(n, best=not math.isnan(n.mean) and badness(n.rounded) == least) for n in column]


def _line(fields: Sequence[str]) -> str:
    return "| " + " | ".join(fields) + " |"


def _powers_of_ten(shown: str) -> str:
    mantissa, _, exponent = shown.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else shown


def _latex(field: Field) -> str:
    if isinstance(field, Number):
        return field.latex()
    for character in "%_&#":
        field = field.replace(character, "\\" + character)
    return field
