"""The fault matrix of ``docs/reliability.md`` says what the tests say."""

from pathlib import Path


def test_the_committed_matrix_is_that_of_the_tests(stale_rows: list[str]) -> None:
    assert not stale_rows, "run: pytest tests/reliability --write-matrix"


def test_every_row_is_of_a_test_file_that_exists(named_files: set[Path]) -> None:
    assert all(file.is_file() for file in named_files)
