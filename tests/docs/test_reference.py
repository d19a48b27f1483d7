"""What the documentation takes from the code is what the code says now."""

import re
import sys
from importlib import import_module

import numpy as np
import pytest
from PIL import Image, ImageSequence

from arena.packages import OURS, data_of
from arena.taskfile.catalog import KINDS
from arena.taskfile.config import KEYS, MODELS, Item
from arena.taskfile.versions import Version, kind_in
from benchmarks import run
from docs._generate import PageError, filled, table
from docs._generate.__main__ import reference
from docs._generate.blocks import BLOCKS, KEY_MEANINGS
from docs._generate.kinds import public_kinds
from docs._generate.pictures import FILM_MS, films, pictures
from evaluation import paired
from evaluation.choices.effective import preset_names
from evaluation.results import results_frame
from evaluation.scale.scaled import NO_SCALE
from evaluation.suites import get_suite, suite_names
from llm_control.suite import SUITE
from render import decode
from report import tables
from report.comparison import contamination, differences, items, levels, ranks
from tests.docs.commands import COMMAND, options_of
from tests.docs.pages import DOCS, PAGES, blocks_of, text_of

PICTURES = DOCS / "pictures"
FRONT = "../README.md"
SPEED = re.compile(r"\d (?<!16\.7 )(?:frames|steps|pictures|images)(?:/s| (?:per|a) second)|AMD|Xeon")
"""Words of a measured speed; 16.7 steps per second is the arena's own clock."""


@pytest.mark.parametrize("page", [*PAGES, FRONT])
def test_the_committed_page_is_what_the_code_makes(page):
    made = filled(text_of(page), BLOCKS, page)
    assert made == text_of(page), "run: python -m docs._generate docs"


def test_every_block_stands_on_a_page():
    asked = re.findall(r"<!-- generated: (\S+) -->", "".join(map(text_of, [*PAGES, FRONT])))
    assert sorted(asked) == sorted(BLOCKS)


@pytest.mark.parametrize(
    "page", [FRONT, "benchmarks.md", "results.md", "hosting.md", "harnesses.md", "rl.md"]
)
def test_speed_is_only_in_generated_blocks(page):
    by_hand = re.sub(r"<!-- generated: (\S+) -->.*?<!-- end of \1 -->", "", text_of(page), flags=re.DOTALL)
    assert not SPEED.search(re.sub(r"```.*?```", "", by_hand, flags=re.DOTALL))


def test_every_key_and_every_kind_has_a_meaning_and_keys_of_kinds_are_fields_of_items():
    assert KEY_MEANINGS.keys() == KEYS.keys() == MODELS.keys()
    for tag, keys in KEYS.items():
        assert KEY_MEANINGS[tag].keys() == set(keys.values()), tag
    assert all(kind.meaning for kind in public_kinds())
    assert {field for kind in KINDS.values() for field in kind.fields} <= Item.model_fields.keys()


def test_the_reference_has_every_spelling_every_kind_and_its_numbers():
    text = text_of("yaml.md")
    for keys in KEYS.values():
        for key in keys:
            assert f"`{key}`" in text
    facts = {part.split("\n")[0]: part for part in text.split("\n### ")}
    for name, kind in KINDS.items():
        if not kind.internal:
            assert f"{kind_in(name, Version.V4).mass:g} kg" in facts[name] or not kind.mass
            assert f"{kind.maximum[0]:g}" in facts[name] or kind.change.value != "none"


def test_the_reference_has_every_preset_option_and_choice():
    assert all(f"| `{name}` |" in text_of("protocols.md") for name in preset_names(SUITE))
    text = text_of("reference/choices.md") + text_of("reference/commands.md")
    choices = {name for suite in suite_names() for name in get_suite(suite).choices.model_fields}
    for word in {*options_of(COMMAND), *(f"--{name.replace('_', '-')}" for name in choices)} - {
        "--help",
        "--version",
    }:
        assert not word.startswith("-") or re.search(rf"[` ]{word}[`,]", text), word


def test_every_column_of_reports_and_comparisons_has_its_sentence():
    made = {"levels": tables.COLUMNS, "headlines": tables.HEADLINE_COLUMNS, "tasks": differences.TASK_COLUMNS}
    made |= {"differences": differences.COLUMNS, "contamination": contamination.COLUMNS}
    made |= {"ranks": ranks.RANK_COLUMNS, "outperformed": ranks.SHARE_COLUMNS, "correlations": items.COLUMNS}
    made |= {"capacities": levels.COLUMNS, "demand_profile": levels.PROFILE_COLUMNS}
    made |= {"item_analysis": items.ITEM_COLUMNS, "reliability": paired.COLUMNS}
    made |= {"scaled": NO_SCALE.table, "comparisons": paired.compare_agents(results_frame([]))}
    said = data_of("report", "columns.yaml")
    assert {f"{name}.csv": list(columns) for name, columns in made.items()} == {
        name: list(columns) for name, columns in said.items()
    }


def test_what_the_pages_import_is_public():
    public = data_of("arena_llm", "public.yaml")
    for page in [*PAGES, FRONT]:
        for block in () if "in a copy of the source tree" in text_of(page) else blocks_of(page):
            for module, names in re.findall(r"^from ([a-z_.]+) import (.+)$", block.text, re.M):
                if block.language == "python" and module.partition(".")[0] in OURS:
                    known = public.get(module, {}).get("names") or import_module(module).__all__
                    assert set(names.partition("  #")[0].split(", ")) <= set(known), f"{block}: {module}"


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("tutorials/")])
def test_a_tutorial_is_short(page):
    assert len(text_of(page).splitlines()) <= 80


def test_the_committed_pictures_show_what_the_renderer_draws_and_nothing_else():
    drawn = dict(pictures())
    assert {path.stem for path in PICTURES.glob("*.png")} == drawn.keys()
    for name, frame in drawn.items():
        kept = decode((PICTURES / f"{name}.png").read_bytes()).astype(float)
        # The palette costs two or three levels; another graphics processor may move an edge by a pixel.
        assert np.abs(kept - frame).mean() < 6, f"{name}: run: python -m docs._generate docs --pictures"


def test_the_committed_films_show_the_solutions_of_today():
    wrong = "run: python -m docs._generate docs --pictures"
    for family, frames in films():
        kept = []
        with Image.open(DOCS / "figures" / f"{family}.webp") as film:
            for each in ImageSequence.Iterator(film):
                shown = np.asarray(each.convert("RGB"), float)
                # Equal frames are stored once.
                kept += [shown] * (each.info["duration"] // FILM_MS)
        assert len(kept) > len(frames), wrong
        apart = [np.abs(old - new).mean() for old, new in zip(kept, frames, strict=False)]
        assert max(apart) < 4, f"{family}: {wrong}"


def test_bars_are_escaped_in_tables_and_unknown_blocks_refused():
    assert table(("a",), [("x|y",)]).endswith(r"| x\|y |")
    with pytest.raises(PageError, match=r"page\.md:2: got the block 'nope'"):
        filled("\n<!-- generated: nope -->\n<!-- end of nope -->", BLOCKS, "page.md")


def test_pages_are_written_and_a_folder_without_pages_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["reference", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        run(reference, "reference")
    assert "no pages" in ended.value.code
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- generated: symbols -->\nold\n<!-- end of symbols -->\nafter\n")
    with pytest.raises(SystemExit) as ended:
        run(reference, "reference")
    assert not ended.value.code
    made = page.read_text()
    assert "`u-turn-arrow`" in made
    assert "old" not in made
    assert made.startswith("before\n")
    assert made.endswith("\nafter\n")
