"""A fixture that plays a suite by an agent, against a local server."""

import pytest

from evaluation.evaluate import evaluate
from evaluation.request import EvalRequest
from evaluation.suites import get_suite
from tests.evaluation.agents.scripted import CHOICES, MODEL, Scripted
from tests.llm_control.batteries import write_battery


@pytest.fixture
def play(openai, prices, tmp_path):
    """Plays a suite by an agent: returns the model, the request, and what makes the run."""

    def play(suite, **choices):
        model = Scripted(suite)
        openai(model)
        folder = write_battery(tmp_path / "battery", (20, 16), (24, 20)) if suite == "arena" else None
        request = EvalRequest(get_suite(suite), MODEL, folder, choices={**CHOICES[suite], **choices})

        def run(**options):
            return evaluate(request, tmp_path / "logs", display="none", prices=prices, **options)

        return model, request, run

    return play
