"""An episode played again from its logged replies, with what the model was shown compared."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.image_format import as_sent
from evaluation.log.exchanges import EpisodeTalk, picture
from evaluation.suite import EpisodeSetup, Observation, Record
from evaluation.verify.pictures import unlike
from evaluation.verify.result import Finding


class Replies:
    """Plays the replies of logged turns. `said` is the logged conversation, None if it is not compared.

    With `frames` pictures are compared too, of which `pictures` counts the compared ones; `drawn_by` is the
    renderer here. Raises RenderError if a picture is needed and cannot be drawn.
    """

    def __init__(
        self, setup: EpisodeSetup, turns: Sequence[Mapping[str, Any]], said: EpisodeTalk | None, frames: bool
    ) -> None:
        self.frames = frames
        self._setup, self._turns, self._said = setup._replace(draws=self.frames), turns, said
        self.findings: list[Finding] = []
        self.pictures = 0
        self.drawn_by: str | None = None

    def compare_opening(self, logged: Sequence[str], episodes: int) -> None:
        """Compare the pictures before the first observation, such as those of a demonstration."""
        if not self.frames:
            return
        messages = self._setup.suite.opening(self._setup.choices, self._setup.prompts, episodes)
        parts = [p for m in messages if not isinstance(m.content, str) for p in m.content]
        shown = [picture(part.image) for part in parts if part.type == "image"]
        self._compare_pictures(None, "picture of the opening", logged, shown)

    def play(self) -> Record:
        """Play all replies, and end the episode."""
        environment = self._setup.suite.open(self._setup)
        refused = self._setup.prompts["no_call"].text
        try:
            observation = environment.begin()
            self._compare(1, observation)
            for number, turn in enumerate(self._turns, start=1):
                if observation.done:
                    end = f"over after turn {number - 1}"
                    self.findings.append(Finding(None, "turns", len(self._turns), end))
                    break
                text = str(turn["reply"])
                no_call = self._setup.choices.replies == "tools" and turn.get("error") == refused
                observation = environment.refuse(text, refused) if no_call else environment.reply(text)
                self._compare_reply(number, text)
                self._compare(number + 1, observation)
            return environment.finish()
        finally:
            environment.close()

    def _compare_reply(self, number: int, text: str) -> None:
        """Whether a turn's reply is the model's message, or its call of a tool."""
        if self._said is not None and number <= len(self._said.exchanges):
            sent = self._said.exchanges[number - 1].reply
            if text != sent:
                self.findings.append(Finding(number, "reply", text, sent))

    def _compare(self, turn: int, observation: Observation) -> None:
        """Compare an observation with what was logged before a turn's reply; the last is not shown."""
        self.drawn_by = observation.drawn_by or self.drawn_by
        if self._said is None or (observation.done and turn > 1):
            return
        place = turn - 1
        exchanges = self._said.exchanges
        shown = exchanges[place].shown if place < len(exchanges) else self._said.rest
        told = exchanges[place].told if place < len(exchanges) else self._said.told_last
        for part in observation.parts:
            if isinstance(part, str) and part not in told:
                self.findings.append(Finding(turn, "observation", told, part))
        if self.frames:
            kind = self._setup.choices.image_format
            drawn = [as_sent(part, kind) for part in observation.parts if not isinstance(part, str)]
            self._compare_pictures(turn, "picture", shown, drawn)

    def _compare_pictures(
        self, turn: int | None, what: str, logged: Sequence[str], drawn: Sequence[Any]
    ) -> None:
        for place, frame in enumerate(drawn):
            uri = logged[place] if place < len(logged) else None
            self.pictures += uri is not None
            self.findings += unlike(turn, what, uri, frame)
        if len(logged) > len(drawn):
            self.findings.append(Finding(turn, f"{what}s", len(logged), len(drawn)))
