"""Textures are read from the user's cache, which can be missing, broken or closed."""

import zlib

import numpy as np
import pytest

from render.looks import kept_textures, textures
from render.looks.kept_textures import kept_layers


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setattr(kept_textures, "user_cache_dir", lambda *name, **options: str(folder))
    return folder


def refuse():
    raise AssertionError("the textures were made again")


def test_textures_are_made_once(cache, monkeypatch):
    made = kept_layers()
    assert np.array_equal(made, textures.layers())
    with monkeypatch.context() as patch:
        patch.setattr(textures, "layers", refuse)
        assert np.array_equal(kept_layers(), made)
        # Another NumPy may round otherwise.
        patch.setattr(np, "__version__", "0.0")
        with pytest.raises(AssertionError):
            kept_layers()


@pytest.mark.parametrize(
    "broken",
    [
        lambda whole: b"",
        lambda whole: whole[:-100],
        lambda whole: whole[:1000] + b"\0\0\0\0" + whole[1004:],
        lambda whole: zlib.compress(b"too short"),
        lambda whole: zlib.compress(zlib.decompress(whole) + b"."),
    ],
)
def test_a_broken_file_is_replaced(cache, broken):
    kept_layers()
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    file.write_bytes(broken(whole))
    assert np.array_equal(kept_layers(), textures.layers())
    assert file.read_bytes() == whole


def test_a_cache_that_cannot_be_written_changes_nothing(cache):
    cache.write_text("a file, not a folder")
    assert np.array_equal(kept_layers(), textures.layers())
    assert cache.read_text() == "a file, not a folder"


def test_without_a_home_nothing_is_written_beside_the_program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(kept_textures, "user_cache_dir", lambda *name, **options: "~/.cache/arena-llm")
    assert np.array_equal(kept_layers(), textures.layers())
    assert not list(tmp_path.iterdir())
