"""The fenced blocks of the guides, and the commands in them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        language: What stands behind the fence; ``""`` for the lines of a terminal.
        text: Its lines.
    """

    language: str
    text: str

    @property
    def commands(self) -> list[str]:
        """The lines of a terminal, continued ones joined; none of a block in a language."""
        lines = re.sub(r"\\\n\s*", "", self.text).splitlines()
        return [line for line in lines if line] if not self.language else []


def blocks(document: Path) -> list[Block]:
    """All blocks of a document, in order."""
    text = document.read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [Block(*parts) for parts in found]


def texts(document: Path, language: str) -> list[str]:
    """The texts of the blocks of one language."""
    return [block.text for block in blocks(document) if block.language == language]
