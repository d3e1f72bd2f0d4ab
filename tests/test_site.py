"""The site of guides and API: built without a network, whole, and open without one."""

import ast
import importlib
import inspect
import os
import pkgutil
import pydoc
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("site")]

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = [name[:-1] for name in SETTINGS["tool"]["setuptools"]["packages"]["find"]["include"]]
FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
"""What a browser fetches by itself when it opens a page."""

NOT_FETCHED = {"canonical", "next", "prev"}


@dataclass
class Page:
    """What a page of the site names."""

    fetched: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)


class Reader(HTMLParser):
    """Reads one page."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.page.ids.add(values.get("id", ""))
        self.page.classes |= set(values.get("class", "").split())
        if tag == "a" and "href" in values:
            self.page.links.append(values["href"])
        elif tag in FETCHED and values.get("rel") not in NOT_FETCHED:
            self.page.fetched.append(values.get(FETCHED[tag], ""))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as ``make docs`` does, where whatever is asked of a network fails."""
    folder = tmp_path_factory.mktemp("site")
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, **nowhere}
    built = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: read(path) for path in site.rglob("*.html")}


def read(path: Path) -> Page:
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def test_pages_fetch_nothing_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        assert [url for url in page.fetched if re.match(r"(\w+:)?//", url)] == [], path.name
        # What these would be drawn by is fetched from a network.
        assert not page.classes & {"mermaid", "arithmatex"}, path.name
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", text), style.name


def test_links_within_the_site_lead_somewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        if path.name == "404.html":  # its links are as from the root of a server
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.relative_to(site)}: {link}"
            if parts.fragment and target in pages:
                known = pages[target].ids
                assert unquote(parts.fragment) in known, f"{path.relative_to(site)}: {link}"


def test_every_page_is_found_from_the_first(site: Path, pages: dict[Path, Page]) -> None:
    first = site / "index.html"
    found = {(site / urlsplit(link).path).resolve() for link in pages[first].links}
    documents = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    # The tabs lead to the results and to the API, whose menus lead on.
    for page in list(found):
        found |= {(page.parent / link).resolve() for link in getattr(pages.get(page), "links", [])}
    for document in documents:
        assert site / document.with_suffix(".html") in found, document


def test_pages_can_be_searched_without_a_server(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert index.startswith("var __index")
    assert "nsac_core.ou_moments" in index


def public_names() -> set[tuple[str, str]]:
    """Every name of ``__all__`` of our packages, as ``package, name``."""
    names = set()
    for package in map(importlib.import_module, PACKAGES):
        inner = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        modules = [info.name for info in inner if info.ispkg]
        for module in map(importlib.import_module, [package.__name__, *modules]):
            names |= {(module.__name__, name) for name in getattr(module, "__all__", ())}
    return names


def names_in_guides() -> set[tuple[str, str]]:
    """Every name that the Python of a guide imports from our packages, as ``module, name``."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    nodes = [node for block in blocks for node in ast.walk(ast.parse(block))]
    found = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return {
        (str(node.module), name.name)
        for node in found
        for name in node.names
        if str(node.module).partition(".")[0] in PACKAGES
    }


def test_every_public_name_has_an_entry_with_its_signature(site: Path) -> None:
    entries = {name: entry for path in (site / "api").glob("*.html") for name, entry in api(path)}
    missing = []
    for module, name in sorted(public_names() | names_in_guides()):
        path = f"{module}.{name}"
        value = getattr(importlib.import_module(module), name, None) or pydoc.locate(path)
        places = (path, f"{getattr(value, '__module__', '')}.{name}")
        if not any(shows(entries.get(place, ""), name, value) for place in places):
            missing.append(path)
    assert missing == [], " ".join(missing)


def api(path: Path) -> list[tuple[str, str]]:
    """Name and text of each entry of a page of the API, up to the next."""
    text = path.read_text(encoding="utf-8")
    parts = re.split(r'<h\d id="([\w.]+)" class="doc doc-heading', text)
    plain = [re.sub(r"<[^>]+>", "", part) for part in parts[2::2]]
    return list(zip(parts[1::2], plain, strict=True))


def shows(text: str, name: str, value: object) -> bool:
    """Whether an entry names all that may be given to what it describes."""
    if not callable(value) or (inspect.isclass(value) and issubclass(value, Exception)):
        return name in text
    try:
        parameters = inspect.signature(value).parameters.values()
    except ValueError:
        return name in text
    named = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return all(re.search(rf"\b{parameter}\b", text) for parameter in named)
