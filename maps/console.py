"""Where commands print: names and paths are printed as they are, whatever brackets they hold."""

from rich.console import Console


def console(*, stderr: bool = False, soft_wrap: bool = True) -> Console:
    """A console without markup, emoji or highlighting.

    Args:
        stderr: Print there, in place of stdout.
        soft_wrap: Leave long lines to the terminal; tables are laid out only without.
    """
    return Console(stderr=stderr, soft_wrap=soft_wrap, highlight=False, markup=False, emoji=False)
