"""The site builds without a warning and without a network, and its links lead somewhere."""

import re
import shutil
import subprocess
import sys

import pytest
import yaml

from tests.docs.pages import DOCS, PAGES, ROOT, anchors_of, blocks_of, links_of


@pytest.mark.parametrize("page", PAGES)
def test_internal_links_and_anchors_resolve(page):
    for link in links_of(page):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (DOCS / page).parent / path if path else DOCS / page
        assert target.is_file(), f"{page}: {link}"
        there = target.resolve().relative_to(DOCS).as_posix()
        assert not anchor or anchor in anchors_of(there), f"{page}: {link}"


def test_the_front_page_links_to_the_documentation():
    links = re.findall(r"\]\(docs/([^)\s]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert {link for link in links if link.endswith(".md")} == set(PAGES)


def test_every_page_is_in_the_navigation():
    nav = str(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    assert sorted(re.findall(r"[\w/-]+\.md", nav)) == PAGES


@pytest.mark.parametrize("page", PAGES)
def test_no_block_is_overlooked(page):
    fences = (DOCS / page).read_text(encoding="utf-8").count("\n```")
    assert fences == 2 * len(blocks_of(page)), "a fence is of an unusual form"


def test_the_site_builds_without_a_warning_and_asks_no_other_machine(tmp_path):
    pytest.importorskip("zensical", reason="the site needs: pip install 'arena-llm[docs]'")
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    built = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"], cwd=tmp_path, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    assert "No issues found" in built.stdout + built.stderr
    site = tmp_path / "site"
    built_pages = sorted(path for path in site.rglob("*.html") if path.stem != "404")
    assert [path.relative_to(site).with_suffix(".md").as_posix() for path in built_pages] == PAGES
    assert not list(site.rglob("*.py"))
    for path in built_pages:
        html = path.read_text(encoding="utf-8")
        assert not re.search(r'<(?:script|img)[^>]+src="https?:|<link[^>]+href="https?:', html), path.name
