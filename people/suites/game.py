"""One participant's episode of a suite: what is shown, what is replied, and how it ended."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

from arena.errors import ConfigError
from evaluation.by_hand.form import Form, Values
from evaluation.image_format import data_uri, encoded
from evaluation.suite import EpisodeSetup, Observation, Record
from people.store import Store, Trial
from people.store.tables import Reply


class Game:
    """An episode in progress, begun or, with the replies so far, rebuilt.

    Raises ArenaError if the suite cannot play it.
    """

    def __init__(self, setup: EpisodeSetup, trial: Trial, replies: tuple[str, ...] = ()) -> None:
        self.setup, self.trial = setup, trial
        self.record: Record | None = None
        self.turns: list[dict[str, Any]] = []
        self._unstored: list[Reply] = []
        self._form: Form | None = None
        self.help = ""
        self._stored = self._stopped = False
        self._environment = setup.suite.open(setup)
        try:
            self._show(None, self._environment.begin())
            for reply in replies:
                if self.record is None:
                    self._show(reply, self._environment.reply(reply))
        except BaseException:
            self._environment.close()
            raise

    @property
    def form(self) -> Form | None:
        """What is asked for now; None if the suite has no form, or after the end."""
        return None if self.record else self._form

    def read(self, entered: Mapping[str, Any]) -> Values:
        """The values of what was entered. Raises ConfigError if it does not fit the form."""
        if self._form is None:
            raise ConfigError(f"suite {self.setup.suite.name}: it has no form for what is shown")
        return self._form.read(entered)

    def reply(self, values: Values) -> None:
        """Play the reply that the form makes of values."""
        assert self._form is not None
        text, shown_at, at = self._form.reply(values), self._shown_at, time.time()
        observation = self._environment.reply(text)
        row = Reply(
            trial_id=self.trial.id,
            turn=len(self.turns) - 1,
            reply=text,
            entered=dict(values),
            reward=observation.reward,
            shown_at=shown_at,
            at=at,
        )
        self._unstored.append(row)
        self._show(text, observation)

    def stop(self) -> None:
        """End the episode early."""
        if self.record is None:
            self.record, self._stopped = self._environment.finish(), True

    def save(self, store: Store) -> None:
        """Store what is not yet stored; repeated after an error, it stores nothing twice."""
        while self._unstored:
            store.add_reply(self._unstored[0])
            del self._unstored[0]
        if self.record is not None and not self._stored:
            store.finish_episode(self.trial.id, self.record, stopped=self._stopped)
            self._stored = True

    def close(self) -> None:
        """Free the episode's resources; what is stored can be rebuilt."""
        if self.record is None:
            self._environment.close()

    def _show(self, reply: str | None, observation: Observation) -> None:
        setup = self.setup
        self._form = None if observation.done else setup.suite.form(setup.task, setup.choices, observation)
        self.help = self._form.help if self._form is not None else self.help
        parts = [] if observation.done and reply is not None else list(self._parts(observation))
        self.turns.append({"reply": reply, "parts": parts})
        self._shown_at = time.time()
        if observation.done:
            self.record = self._environment.finish()

    def _parts(self, observation: Observation) -> Iterator[dict[str, str]]:
        kind = self.setup.choices.image_format
        own = self._form.text if self._form is not None else None
        for part in observation.parts:
            if isinstance(part, str):
                if own is None:
                    yield {"text": part}
            else:
                yield {"image": data_uri(encoded(part, kind))}
        if own is not None:
            yield {"text": own}
