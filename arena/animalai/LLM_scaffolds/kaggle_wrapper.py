"""The environment as an actor of Kaggle Benchmarks, as in `animalai.LLM_scaffolds.kaggle_wrapper`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from arena.animalai.LLM_scaffolds import EnvironmentScaffold, parse_action

try:
    from kaggle_benchmarks import actors, chats, content_types, messages
except ModuleNotFoundError as error:
    raise ImportError(f"{error.name} not found; run: pip install kaggle-benchmarks 'hishel<2'") from error


class KaggleWrapper(actors.Actor):
    """Actor that answers action messages with picture and reward."""

    def __init__(self, environment_scaffold: EnvironmentScaffold[npt.NDArray[np.uint8]]) -> None:
        super().__init__(name="AnimalAI", role="user", avatar="\N{PAW PRINTS}")
        self.game_wrapper = environment_scaffold

    def parse_action(self, response: str) -> str:
        """Return the last word that is an action. Raises InvalidValueError, a ValueError, without one."""
        return parse_action(self.game_wrapper, response)

    def initialize(self, start_prompt: str | None = None) -> None:
        """Send the task's explanation and the first picture. The explanation is by default the scaffold's."""
        scaffold = self.game_wrapper
        self._say(scaffold.get_default_system_prompt() if start_prompt is None else start_prompt)
        self._show(scaffold.reset()[0])

    def respond(self) -> Any:
        """Take the action of the chat's last message; return the answer."""
        return self.send(chats.get_current_chat().messages[-1])

    def send(self, message: Any) -> Any:
        """Take the action of a text or message; return the answer. It is the reward, or the end."""
        text = message.text if isinstance(message, messages.Message) else message
        seen, reward, done, _ = self.game_wrapper.step(self.parse_action(text))
        self._show(seen)
        return self._say("EPISODE FINISHED!" if done else f"LAST MOVE REWARD: {reward}")

    def _show(self, picture: npt.NDArray[np.uint8]) -> None:
        self._say(content_types.images.from_array(picture))

    def _say(self, content: Any) -> Any:
        return self._send(content, is_visible_to_llm=True)

    def is_finished(self) -> bool:
        """Return whether the episode is over."""
        return self.game_wrapper.is_finished()

    def close(self) -> None:
        """Close the environment."""
        self.game_wrapper.close()
