"""Files that are written completely or not at all."""

import pytest

from arena import EvaluationError
from arena.files import atomic_file, write_file


def test_a_folder_in_the_files_place_is_refused(tmp_path):
    with pytest.raises(EvaluationError, match="is a folder"), atomic_file(tmp_path):
        pass


def test_a_file_replaces_the_one_before_and_a_failure_leaves_that(tmp_path):
    path = tmp_path / "new" / "text.txt"
    write_file(path, "one")
    write_file(path, b"two")
    assert path.read_text() == "two"

    def fail():
        with atomic_file(path) as beside:
            beside.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert path.read_text() == "two"
    assert list(path.parent.iterdir()) == [path]
