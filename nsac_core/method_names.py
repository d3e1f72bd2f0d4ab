"""The names of the uncertainty methods, for whoever need not build one."""

from collections.abc import Sequence

from maps.files.one_line_error import did_you_mean

METHOD_NAMES = ("nsac", "gmle", "deep_ensemble", "mc_dropout", "evidential", "sde_net")
"""The keys of ``nsac_core.methods.METHODS``, in the order of tables."""


def find_fault(methods: Sequence[str], known: Sequence[str] = METHOD_NAMES) -> str | None:
    """What is wrong with a list of methods, in one line; None where nothing is.

    Args:
        methods: Names; ``all`` stands for every one.
        known: Those that there are.
    """
    unknown = [name for name in methods if name not in (*known, "all")]
    if methods and not unknown:
        return None
    wrong = f"no method {unknown[0]!r}" if unknown else "no method given"
    guess = did_you_mean(unknown[0], known) if unknown else ""
    return f"{wrong}; {guess}there are all, {', '.join(known)}"
