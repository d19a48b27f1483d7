"""Episodes: what is shown, what counts, how they end; the offline agents, the judge, the form, the report."""

import asyncio
import json

import pytest

from arena.errors import ConfigError, EvaluationError
from evaluation.capabilities import form_of, prompts_of
from evaluation.suites import chosen_tasks
from suites.discoveryworld.findings import episode_panels, run_panels
from suites.discoveryworld.form import in_words
from suites.discoveryworld.judge import judge
from suites.discoveryworld.replies import read_reply
from suites.discoveryworld.suite import SUITE
from tests.cases import cases
from tests.suites.discoveryworld.worlds import opened, played
from tests.suites.setups import needs_package

CASES = cases(__file__)

pytestmark = needs_package


def plain(record, **more):
    """A record as reports have it."""
    verdict = {"score": record.score, "passed": record.passed}
    return {**verdict, "turns": record.turns, "replay": {**record.replay, **more}}


def test_a_script_is_refused_in_other_worlds():
    tasks = chosen_tasks(SUITE, SUITE.choices(tasks=("proteomics-easy", "chemistry-easy"), seeds="0"), None)
    SUITE.check("discoveryworld/proteomics", tasks[:1], SUITE.choices())
    with pytest.raises(ConfigError, match="it plays only worlds of proteomics, not chemistry-easy-0"):
        SUITE.check("discoveryworld/proteomics", tasks, SUITE.choices())
    with pytest.raises(ConfigError, match="with teleport = yes"):
        SUITE.check("discoveryworld/proteomics", tasks[:1], SUITE.choices(teleport=False))


def test_random_actions_are_usable_and_the_same_by_tools():
    record = played("random", "unit-dialog-0", steps=20)
    assert (record.outcome, record.metrics["unusable_replies"]) == ("last step", 0)
    called = played("random", "unit-dialog-0", steps=20, replies="tools")
    assert [turn["message"] for turn in called.turns] == [turn["message"] for turn in record.turns]


def test_what_cannot_be_done_is_said_and_takes_a_step_in_which_nothing_moves():
    _, environment = opened("proteomics-easy-0")
    first = environment.begin().parts[0]
    assert "Places: Statue of a" in first
    assert '"floor' not in first
    for reply, said in CASES["refused"]:
        shown = environment.reply(reply).parts[0]
        assert shown.startswith(f"Nothing was done in this step. {said}"), shown
    refused = environment.refuse("hello", "Call a tool.").parts[0]
    assert refused.startswith("Nothing was done in this step. Call a")
    before = environment.known
    environment.reply("turn(west)")
    assert environment.known.near.keys() == before.near.keys()
    assert '"message": "I picked up' in environment.reply("take(proteomics meter)").parts[0]
    record = environment.finish()
    assert (record.metrics["unusable_replies"], record.metrics["steps"], record.outcome) == (9, 11, "stop")
    assert record.turns[-1]["gained"] == ("The proteomics meter has been in an agent's inventory",)


def test_what_is_in_reach_is_not_listed_as_near_once_more():
    _, environment = opened("proteomics-easy-0")
    shown = environment.begin().parts[0]
    seen, _ = json.JSONDecoder().raw_decode(shown[shown.index("{") :])
    near = {text.partition("]")[0] for there in seen["near"].values() for text in there}
    reach = {text.partition("]")[0] for text in seen["reach"]}
    assert near
    assert reach
    assert not near & reach


def test_conversations_are_chosen_by_number():
    _, environment = opened("unit-dialog-0")
    environment.begin()
    environment.reply("beside(Sally)")
    said = environment.reply("talk(Sally)")
    assert '"options": {"1": ' in said.parts[0]
    wrong = environment.reply("move(north)")
    assert "You are in a conversation: reply with the number of what you say, 1" in wrong.parts[0]
    form = form_of(SUITE, None, None, wrong)
    (choice,) = form.questions
    assert form.text.startswith("You are in a conversation: reply with")
    assert "Somebody says: " in form.text
    assert form.reply({"said": choice.options[0]}) == "1"
    assert "Nothing was done" not in environment.reply("1").parts[0]


def test_the_task_stays_in_sight_where_memory_is_short():
    for choices, number in (({}, 1), ({"memory_turns": 2}, 3)):
        _, environment = opened("proteomics-easy-0", **choices)
        shown = [environment.begin(), environment.reply("turn(west)"), environment.reply("hm")]
        assert sum("determine which species is the anomoly" in each.parts[0] for each in shown) == number
        assert sum("Places: Statue" in each.parts[0] for each in shown) == number


def test_without_aids_nobody_teleports():
    _, environment = opened("proteomics-easy-0", teleport=False)
    first = environment.begin()
    assert "Places:" not in first.parts[0]
    assert "is not allowed in this run" in environment.reply("beside(flag)").parts[0]
    form = form_of(SUITE, None, None, first)
    assert "You face " in form.text
    assert form.text.endswith("Step 1 of 100.")
    assert not set("{}[]") & set(form.text)
    (field,) = form.questions
    assert {"go north", "use OBJ on OBJ", "read the Discovery Feed"} < set(field.templates)
    assert "turn west" in field.buttons
    assert not any("travel" in each for each in (*field.templates, form.help))
    assert not set("{}[]()") & set(form.help)
    assert "statue of an echojelly" in field.words
    opening = SUITE.opening(SUITE.choices(teleport=False), prompts_of(SUITE), 1)[0].text
    assert "beside(object)" not in opening


def test_people_act_in_words_and_spend_no_step_on_what_is_none():
    _, environment = opened("proteomics-easy-0")
    first = environment.begin()
    form = form_of(SUITE, None, None, first)
    for action, call in CASES["calls"]:
        assert form.reply(form.read({"action": action})) == call
        assert read_reply(call).problem == ""
    for wrong in ("fly", "use flag", "use(flag, flag)", "pick up dragon", "use flag on dragon", "say 1"):
        with pytest.raises(ConfigError, match=r"Action: got '.*', expected"):
            form.read({"action": wrong})
    every = [call for call in first.data["templates"] if "OBJ" not in call]
    assert [form.reply({"action": in_words(call)}) for call in every] == every


def test_the_whole_observation_is_the_packages_json_with_other_ids():
    _, environment = opened("proteomics-easy-0", format="full")
    shown = environment.begin().parts[0]
    seen, _ = json.JSONDecoder().raw_decode(shown[shown.index("{") :])
    objects = [each for there in seen["nearbyObjects"]["objects"].values() for each in there]
    (flag,) = [each["uuid"] for each in objects if each["name"] == "flag"]
    assert 1000 <= flag <= 9999
    moved = environment.reply(json.dumps({"action": "TELEPORT_TO_OBJECT", "arg1": flag}))
    assert "I teleported" in moved.parts[0]


def judged(record, setup, answers):
    asked = []

    async def ask(model, text):
        asked.append((model, text))
        answer = answers[len(asked) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return asyncio.run(judge(setup, record, ask)), asked


def test_a_judge_reads_the_notes_and_its_silence_is_no_answer():
    setup, environment = opened("archaeology-easy-0", judge="openai/judge")
    environment.begin()
    environment.reply("I believe in radiocarbon.\nturn(north)")
    record = environment.finish()
    assert "knowledge" not in record.metrics
    half, asked = judged(record, setup, ["It does.\nyes", "no"])
    assert half.metrics["knowledge"] == 0.5
    assert [model for model, _ in asked] == ["openai/judge"] * 2
    assert "Step 1: I believe in radiocarbon." in asked[0][1]
    assert record.replay["questions"][0] in asked[0][1]
    for answers in (["yes", "perhaps"], ["yes", EvaluationError("the provider failed")]):
        silent, _ = judged(record, setup, answers)
        assert "knowledge" not in silent.metrics
        assert silent.replay["judge"]["failed"]
    nobody, asked = judged(record, opened("archaeology-easy-0")[0], [])
    assert (nobody, asked) == (record, [])
    title, body = episode_panels(plain(half))[1]
    assert title == "What was found out"
    assert body.count("<tr>") == 3


def test_a_report_has_the_three_metrics_beside_the_papers():
    solved = played("proteomics", "proteomics-easy-0")
    normal = played("random", "proteomics-normal-0", steps=2)
    records = {"script": [plain(solved, judge={"knowledge": 1.0})], "other": [plain(normal)], "none": []}
    panels = dict(run_panels(records))
    assert list(panels) == [f"{name} with the paper's" for name in ("Procedure", "Completion", "Knowledge")]
    cells = [cell.partition("<")[0] for cell in panels["Completion with the paper's"].split('class="num">')]
    assert cells[-13:-6] == ["paper: scientists", "1.00", "–", "0.20", "0.00", "0.40", "–"]
    assert cells[-6:] == ["–", "0.00", "0.40", "0.20", "0.40", "0.80"]
    assert ">Last won in step<" in episode_panels(plain(solved))[0][1]
    assert run_panels({"none": []}) == []
