"""The blocks of the guides that are no commands: what makes them short, and which are files."""

from pathlib import Path

from tests.guides.blocks import ROOT, blocks

FILES = {
    "follow_road.py": ("own_policy.md", "class FollowRoad"),
    "robustness.toml": ("study.md", "[policies]"),
}
"""Guide and words of the block that is to be saved under a name."""

SAVED = {
    "own_policy.md": "follow_road.py",
    "scale.md": "robustness.toml",
    "study.md": "robustness.toml",
}
"""Guides whose commands read such a file."""

ELSEWHERE = {"core.md", "maps.md"}
"""Guides whose Python ``tests/test_docs.py`` runs, and looks at what comes out."""

SHORTER = {
    "README.md": {'"seed:2000-2004,oval")': '"short"), max_steps=30'},
    "benchmarks.md": {
        "seeds=2, epochs=50": "seeds=1, epochs=1",
        "epochs: int = 20": "epochs: int = 1",
    },
    "data.md": {'outcome=("lost",)': 'episodes=("0",)'},
    "evaluate.md": {"workers=2": "max_steps=30"},
    "inspect.md": {
        'Path("runs/inspected")': 'Path("runs/inspected"), max_steps=30',
        'Path("runs/saliency")': 'Path("runs/saliency"), max_steps=30',
        "[100, 200]": "[10, 20]",
    },
    "record.md": {"episodes=50": "episodes=3, max_steps=40"},
    "study.md": {
        '"seed:2000-2099"': '"short"\nmax_steps = 30',
        "colours,blur:1-5,friction:1-5": "colours",
        '"0-2"': "[0]",
        "workers=2": "workers=1",
    },
    "train.md": {"epochs=10": "epochs=1"},
    "udacity.md": {"port=4567": "port=0"},
}
"""Words of Python and of files, and shorter ones in their place."""


def shortened(guide: str, text: str) -> str:
    """The block with everything that makes it short."""
    for words, others in SHORTER.get(guide, {}).items():
        text = text.replace(words, others)
    return text


def save_files(guide: str) -> None:
    """Saves in the working folder the file that a guide's commands read, if any."""
    if guide in SAVED:
        source, words = FILES[SAVED[guide]]
        (text,) = (b.text for b in blocks(ROOT / "docs" / source) if words in b.text)
        Path(SAVED[guide]).write_text(shortened(source, text), encoding="utf-8")
