"""Takes files of the repository outside ``docs/`` that a page links to into the site."""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
FOLDER = "repository"
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds what the guides link to outside ``docs/``, and what that links to in turn."""
    waiting = list(files.documentation_pages())
    while waiting:
        for path in linked(waiting.pop()):
            if outside(path) and site_path(path) not in files.src_uris:
                file = File.generated(config, site_path(path), abs_src_path=str(path))
                files.append(file)
                waiting += [file] if file.is_documentation_page() else []
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Turns links as of the repository into links as of the site."""
    source = page.file

    def turned(link: re.Match[str]) -> str:
        target = resolved(source, link[1])
        start = posixpath.dirname(source.src_uri)
        return posixpath.relpath(site_path(target), start) if target.is_file() else link[1]

    return LINK.sub(turned, markdown)


def linked(page: File) -> list[Path]:
    """The files that a page links to."""
    targets = [resolved(page, link) for link in LINK.findall(page.content_string)]
    return [target for target in targets if target.is_file()]


def resolved(page: File, link: str) -> Path:
    """The file that a link of a page leads to, whether or not it is there."""
    return (Path(str(page.abs_src_path)).parent / link).resolve()


def outside(path: Path) -> bool:
    """Whether a file is no page or picture of ``docs/``."""
    return not path.is_relative_to(ROOT / "docs")


def site_path(path: Path) -> str:
    """Where a file of the repository lies in the site."""
    return posixpath.join(
        *([FOLDER] if outside(path) else []),
        path.relative_to(ROOT / "docs" if not outside(path) else ROOT).as_posix(),
    )
