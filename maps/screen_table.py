"""Tables for the terminal in which no word and no number is broken, as narrow as it may be."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, JustifyMethod
from rich.table import Table
from rich.text import Text

GAP = 2
"""Blanks between two columns."""


@dataclass(frozen=True)
class ScreenTable:
    """A table that rich prints no wider than the terminal.

    Cells of words wrap between words, those of numbers not at all. Columns that have no room are
    in a further table below, beside the first column once more.

    Attributes:
        head: Names of the columns; not shown where all are empty.
        rows: Cells, as many as there are columns.
        title: Printed above.
        words: Which columns hold words, by their index: they are aligned to the left.
        styles: Of rows, by their index.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    words: Collection[int] = (0,)
    styles: Mapping[int, str] = field(default_factory=dict)

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[Text | Table]:
        """The title and the tables, each with a blank line below."""
        if self.title:
            yield Text(self.title, style="italic")
        for part in self._parts(options.max_width):
            yield self._table(part, options.max_width)
            yield Text()

    def _parts(self, room: int) -> list[list[int]]:
        """Which columns stand side by side, the first one in each part."""
        parts = [[0]]
        for column in range(1, len(self.head)):
            wanted = sum(map(self._least, [*parts[-1], column])) + GAP * len(parts[-1])
            if wanted > room and len(parts[-1]) > 1:
                parts.append([0])
            parts[-1].append(column)
        return parts

    def _table(self, part: list[int], room: int) -> Table:
        table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
        table.show_header = any(self.head)
        for column, width in zip(part, self._widths(part, room), strict=True):
            justify: JustifyMethod = "left" if column in self.words else "right"
            name = Text(self.head[column])
            table.add_column(name, width=width, justify=justify, overflow="fold")
        for number, row in enumerate(self.rows):
            table.add_row(*(Text(row[column]) for column in part), style=self.styles.get(number))
        return table

    def _widths(self, part: list[int], room: int) -> list[int]:
        """What each column needs, and the room that is left from the left on."""
        widths = [self._least(column) for column in part]
        spare = room - sum(widths) - GAP * (len(part) - 1)
        if spare < 0:  # a word longer than the terminal is broken
            widest = widths.index(max(widths))
            widths[widest], spare = max(1, widths[widest] + spare), 0
        for place, column in enumerate(part):
            more = max(0, min(spare, self._most(column) - widths[place]))
            widths[place] += more
            spare -= more
        return widths

    def _least(self, column: int) -> int:
        """Width in which nothing is broken."""
        cells = [row[column] for row in self.rows]
        whole = [piece for cell in cells for piece in self._pieces(column, cell)]
        return max(map(cell_len, [*self.head[column].split(), *whole, ""]))

    def _pieces(self, column: int, cell: str) -> list[str]:
        return cell.split() if column in self.words else cell.splitlines()

    def _most(self, column: int) -> int:
        """Width in which nothing wraps."""
        cells = [self.head[column], *(row[column] for row in self.rows)]
        return max(cell_len(line) for cell in cells for line in [*cell.splitlines(), ""])
