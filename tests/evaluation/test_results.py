import pytest

from arena import EvaluationError
from evaluation.results import read_results, results_frame
from evaluation.statistics import pass_rates
from tests.cases import cases
from tests.evaluation.runs import rows

CASES = cases(__file__)


@pytest.fixture
def table(tmp_path):
    frame = results_frame(rows({"01-01-01": [True, None], "01-02-01": [False, True]}))
    path = tmp_path / "results.csv"
    frame.to_csv(path, index=False)
    return path


def test_a_table_comes_back_from_its_file(table):
    frame = read_results(table)
    expected = results_frame(rows({"01-01-01": [True, None], "01-02-01": [False, True]}))
    assert frame["passed"].to_list() == expected["passed"].to_list()
    assert frame["error"].fillna("").to_list() == ["", "x", "", ""]
    assert pass_rates(frame).equals(pass_rates(expected))


@pytest.mark.parametrize(("text", "words"), CASES["broken"], ids=[words for _, words in CASES["broken"]])
def test_a_broken_file_is_one_sentence_that_says_where(text, words, table):
    head = table.read_text().splitlines(keepends=True)[0]
    table.write_text(text.format(head=head, row="a,t,1,0,0,1,True,goal,1,1,\n"))
    with pytest.raises(EvaluationError) as caught:
        read_results(table)
    assert f"{table}" in str(caught.value)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"), [("absent.csv", "cannot be read"), (".", "cannot be read"), ("bytes", "not valid CSV")]
)
def test_what_is_no_file_of_text_is_said_to_be(name, words, tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(EvaluationError, match=words):
        read_results(tmp_path / name)
