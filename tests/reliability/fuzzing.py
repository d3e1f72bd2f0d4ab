"""What readers are fed: any text, any JSON, and what looks right but for one place."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tests.reliability.tampering import check_line

T = TypeVar("T")

numbers = st.one_of(
    st.integers(-3, 5),
    st.integers(),
    st.floats(),
    st.sampled_from([10**400, -(10**30), 1e308, 5e-324, 2**63, 2**31, True, False]),
)
words = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["", "\0", "\ud800", "a\nb", "\u2028", "../../x", "x" * 5000, "nsac", "oval"]),
)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | numbers | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=8,
)
"""Anything that JSON can hold, and NaN and infinity, which Python writes and reads."""

json_texts = st.one_of(
    json_values.map(json.dumps),
    st.text(max_size=60),
    st.sampled_from(
        [
            "[" * 100_000,
            '{"a":' * 100_000,
            "9" * 5000,
            '{"a": 1e400}',
            '{"a": 1, "a": 2}',
            "\ufeff{}",
            "{}\r\n",
            "",
            "nul",
        ]
    ),
)

contents = st.one_of(
    st.binary(max_size=80),
    json_texts.map(lambda text: text.encode(errors="surrogatepass")),
    json_texts.map(lambda text: text.encode("utf-16", errors="surrogatepass")),
    json_texts.map(lambda text: b"\xef\xbb\xbf" + text.encode(errors="surrogatepass")),
)
"""Bytes of files: any, JSON in several encodings."""


def examples(count: int) -> settings:
    """Settings of a test: so many examples, each within seconds."""
    checks = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    # The readers of the first example import what they need.
    return settings(max_examples=count * MORE, deadline=20_000, suppress_health_check=checks)


MORE = int(os.environ.get("NSAC_FUZZ", "1"))
"""How many times the usual examples are tried."""


def changed(valid: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A value with one field of it changed, removed or added."""
    fields = st.sampled_from([*valid, "stranger"])
    return st.one_of(
        st.builds(lambda name, value: {**valid, name: value}, fields, json_values),
        fields.map(lambda name: {key: value for key, value in valid.items() if key != name}),
    )


def valid_or(
    fault: type[Exception], read: Callable[..., T], *arguments: object, name: str | Path = ""
) -> T | None:
    """What a reader makes of its arguments; None where it refuses them in one line.

    Args:
        fault: What it may raise.
        read: The reader.
        arguments: Its arguments.
        name: What the line has to name.
    """
    try:
        return read(*arguments)
    except fault as refused:
        check_line(str(refused), str(name))
        return None
