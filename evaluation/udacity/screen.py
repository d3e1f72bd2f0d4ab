"""What is shown while a simulator is driven: rate, latency, the car, and what went wrong."""

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from drive.udacity.bridge import Status
from drive.udacity.faults import CAUSES


def screen(status: Status, policy: str, where: str) -> Panel:
    """A bridge at one moment, for a terminal.

    Args:
        status: The moment.
        policy: Who drives.
        where: Address and port.
    """
    parts = [_facts(status)]
    if status.faults:
        parts.append(_faults(status.faults))
    title = Text(f"{policy} on {where}")
    return Panel(Group(*parts), title=title, title_align="left", expand=False)


def _facts(status: Status) -> Table:
    table = Table.grid(padding=(0, 2))
    speed = status.speed
    table.add_row("simulators", str(status.clients) if status.clients else "none")
    table.add_row("replies", f"{speed.replies}, {speed.rate:.1f} per second")
    table.add_row(
        "latency", f"median {1e3 * speed.median:.1f} ms, 99 % within {1e3 * speed.slowest:.1f} ms"
    )
    if status.telemetry is not None and status.command is not None:
        command = status.command
        table.add_row("speed", f"{status.telemetry.speed:.1f} mph")
        table.add_row("steering", f"{command.steering:+.3f}")
        table.add_row("throttle", f"{command.throttle:+.3f}")
    return table


def _faults(counts: dict[str, int]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold red")
    table.add_column("fault")
    table.add_column("times", justify="right")
    table.add_column("meaning", style="dim")
    for cause, times in sorted(counts.items(), key=lambda item: -item[1]):
        table.add_row(cause, str(times), CAUSES[cause])
    return table
