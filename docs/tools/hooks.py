"""What the build of the site adds to MkDocs: generated pages, fresh figures, equations, links."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs.tools.command_pages import commands_page
from docs.tools.equations import with_mathml
from docs.tools.executed_pages import figures_of

EXECUTED = ("tutorials/cells.md", "gallery.md")
"""Pages that are run for their figures. The figures of other tutorials, which need files, time
samplers or depend on the versions of packages, are in `docs/figures/`; tests run their code."""

_PLACED = re.compile(r"^```(\w+) ([\w./-]+)$", re.M)
_OUTSIDE = re.compile(r"\]\(((?:\.\./)+[\w./-]+)(#[\w-]*)?\)")
_NAMED_PAGE = re.compile(r"docs/((?:tutorials|how-to|reference|explanation)/[\w-]+)\.md")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the reference of the command line, and replace figures by freshly made ones."""
    files.append(File.generated(config, "reference/commands.md", content=commands_page()))
    for name in EXECUTED:
        for figure, content in figures_of(Path(config.docs_dir) / name).items():
            _replace(files, File.generated(config, f"figures/{figure}", content=content))
    return files


def _replace(files: Files, new: File) -> None:
    old = files.get_file_from_path(new.src_uri)
    if old is not None:
        files.remove(old)
    files.append(new)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Prepare a page: names of files over code, equations, links out of docs/."""
    markdown = _PLACED.sub(r'```\1 title="\2"', markdown)
    return with_mathml(_OUTSIDE.sub(lambda link: _repository_link(link, page, config), markdown))


def _repository_link(link: re.Match[str], page: Page, config: MkDocsConfig) -> str:
    """Return a link to a file of the repository that is not part of the site, unless it is."""
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), link[1]))
    if path.startswith("docs/"):
        return link[0]
    repository = config.extra["social"][0]["link"]
    return f"]({repository}/blob/main/{path}{link[2] or ''})"


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Link the pages that docstrings name by their path in the repository."""

    def linked(name: re.Match[str]) -> str:
        target = files.get_file_from_path(f"{name[1]}.md")
        if target is None:
            return name[0]
        return f'<a href="{target.url_relative_to(page.file)}">{name[1]}</a>'

    return _NAMED_PAGE.sub(linked, html) if page.file.src_uri.startswith("reference/") else html
