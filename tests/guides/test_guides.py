"""Every command and every Python block of the guides is run, in order, as a reader would."""

from pathlib import Path
from typing import Any

import pytest

from tests.guides import python_blocks, shorter
from tests.guides.blocks import DOCUMENTS, Block, blocks
from tests.guides.granted import GRANTED, grant
from tests.guides.running import SCRIPTS, run
from tests.guides.written import WRITTEN, missing

COLLECTIONS = ("index.md", "paper.md")
"""Documents whose commands are those of other guides too, and are run there."""

SLOW = (
    *("README.md", "bearings.md", "benchmarks.md", "inspect.md", "own_policy.md", "paper.md"),
    *("train.md", "udacity.md"),
)
"""Guides that take more than ten seconds."""

TEXT = {document.name: document.read_text(encoding="utf-8") for document in DOCUMENTS}
COMMANDS = {
    document.name: [line for block in blocks(document) for line in block.commands]
    for document in DOCUMENTS
}
"""All lines of terminals by document."""


def not_run(line: str) -> bool:
    return any(line.startswith(beginning) for beginning in shorter.NOT_RUN)


def run_elsewhere(line: str, document: str) -> bool:
    """Whether a document that collects commands has this one from a guide."""
    others = COMMANDS.keys() - COLLECTIONS
    return document in COLLECTIONS and any(line in COMMANDS[other] for other in others)


def steps(document: Path) -> list[Block]:
    """What is run of a document: Python blocks, and each command as a block of its own."""
    found: list[Block] = []
    for block in blocks(document):
        if block.language == "python" and document.name not in python_blocks.ELSEWHERE:
            found.append(block)
        found += [
            Block("", line)
            for line in block.commands
            if not not_run(line) and not run_elsewhere(line, document.name)
        ]
    return found


def guides() -> list[Any]:
    """The documents of which anything is run."""
    return [
        pytest.param(
            document,
            id=document.stem,
            marks=[pytest.mark.slow] if document.name in SLOW else [],
        )
        for document in DOCUMENTS
        if steps(document)
    ]


@pytest.mark.parametrize("document", guides())
def test_a_guide_can_be_followed(
    document: Path, reader: Path, granted_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda _: "")
    grant(document.name, granted_folder)
    python_blocks.save_files(document.name)
    names: dict[str, Any] = {"__name__": "__main__"}
    for step in steps(document):
        if step.language:
            text = python_blocks.shortened(document.name, step.text)
            exec(compile(text, document.name, "exec"), names)
        else:
            run(step.text)
            assert not missing(step.text), step.text


def test_every_command_has_its_rule_and_every_rule_its_command() -> None:
    lines = [line for lines in COMMANDS.values() for line in lines]
    assert {shorter.rule(line) for line in lines if not not_run(line)} == shorter.SHORTER.keys()
    assert WRITTEN.keys() <= shorter.SHORTER.keys()
    for beginning in shorter.NOT_RUN:
        assert any(line.startswith(beginning) for line in lines), beginning
    for words in shorter.OTHERWISE:
        assert any(words in line for line in lines), words


def test_every_program_is_run() -> None:
    assert {rule.split()[0] for rule in shorter.SHORTER} == SCRIPTS.keys()


def test_what_is_said_of_blocks_is_of_blocks_that_are_there() -> None:
    for name, changes in python_blocks.SHORTER.items():
        for words in changes:
            assert words in TEXT[name], f"{name}: {words}"
    for name, words in python_blocks.FILES.values():
        assert words in TEXT[name], f"{name}: {words}"
    assert {*GRANTED, *python_blocks.ELSEWHERE, *COLLECTIONS, *SLOW} <= TEXT.keys()
