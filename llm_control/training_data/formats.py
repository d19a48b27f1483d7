"""Examples in the chat formats that providers take as training data.

`openai`: supervised fine-tuning with images, https://platform.openai.com/docs/guides/vision-fine-tuning
`anthropic`: a Messages request with the reply, as Amazon Bedrock takes it for Claude.
`google`: supervised tuning of Gemini on Vertex AI, with images as files in a bucket.
`sharegpt`: the format of LLaMA-Factory and others, with images as files beside the lines.
"""

import base64
import json
from enum import StrEnum
from typing import Any, NamedTuple

from evaluation.prompts import PromptSet
from llm_control.choices import ArenaChoices
from llm_control.messages import first_parts, opening
from llm_control.observations import View
from llm_control.training_data.example import Example
from render import png

LARGEST_OPENAI = 50_000
"""Examples with images that OpenAI takes in one file (vision-fine-tuning guide)."""


class Format(StrEnum):
    """The chat format of the lines."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    SHAREGPT = "sharegpt"

    @property
    def has_files(self) -> bool:
        """Whether the pictures are files beside the lines instead of inside them."""
        return self in (Format.GOOGLE, Format.SHAREGPT)


class Dialogue(NamedTuple):
    """What the model is shown, word for word as in an evaluation, and the reply to learn.

    `picture` is the content of a PNG file, `file` its path in the data set's folder.
    """

    system: str
    user: str
    picture: bytes
    reply: str
    file: str


def dialogue(example: Example, prompts: PromptSet) -> Dialogue:
    """An example as the start of an evaluation's conversation."""
    choices = ArenaChoices()
    (system,) = opening(choices, prompts)
    parts = first_parts(choices, prompts, example.health, View((example.frame,), None))
    text = "".join(part for part in parts if isinstance(part, str))
    return Dialogue(system.text, text, png(example.frame), example.reply, picture_file(example.index))


def picture_file(index: int) -> str:
    """Path of an example's picture; a thousand per folder, because some file systems dislike more."""
    return f"images/{index // 1000:04d}/{index:07d}.png"


def as_line(dialogue: Dialogue, format: Format, image_uri: str = "") -> str:
    """A dialogue as one line of JSON; `image_uri` is where a provider finds the data set's folder."""
    return json.dumps(_BUILDERS[format](dialogue, image_uri), ensure_ascii=False)


def picture_in(line: dict[str, Any], format: Format) -> bytes | None:
    """The picture of a parsed line, None if it is a file. Raises KeyError, IndexError or ValueError."""
    if format is Format.OPENAI:
        uri: str = line["messages"][1]["content"][0]["image_url"]["url"]
        return base64.b64decode(uri.partition(",")[2], validate=True)
    if format is Format.ANTHROPIC:
        return base64.b64decode(line["messages"][0]["content"][0]["source"]["data"], validate=True)
    return None


def _base64(picture: bytes) -> str:
    return base64.b64encode(picture).decode()


def _openai(dialogue: Dialogue, image_uri: str) -> dict[str, Any]:
    image = {"url": f"data:image/png;base64,{_base64(dialogue.picture)}"}
    content = [{"type": "image_url", "image_url": image}, {"type": "text", "text": dialogue.user}]
    return {
        "messages": [
            {"role": "system", "content": dialogue.system},
            {"role": "user", "content": content},
            {"role": "assistant", "content": dialogue.reply},
        ]
    }


def _anthropic(dialogue: Dialogue, image_uri: str) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/png", "data": _base64(dialogue.picture)}
    content = [{"type": "image", "source": source}, {"type": "text", "text": dialogue.user}]
    messages = [{"role": "user", "content": content}, {"role": "assistant", "content": dialogue.reply}]
    return {"system": dialogue.system, "messages": messages}


def _google(dialogue: Dialogue, image_uri: str) -> dict[str, Any]:
    file = {"mimeType": "image/png", "fileUri": f"{image_uri.rstrip('/')}/{dialogue.file}"}
    return {
        "systemInstruction": {"role": "system", "parts": [{"text": dialogue.system}]},
        "contents": [
            {"role": "user", "parts": [{"fileData": file}, {"text": dialogue.user}]},
            {"role": "model", "parts": [{"text": dialogue.reply}]},
        ],
    }


def _sharegpt(dialogue: Dialogue, image_uri: str) -> dict[str, Any]:
    return {
        "conversations": [
            {"from": "human", "value": f"<image>{dialogue.user}"},
            {"from": "gpt", "value": dialogue.reply},
        ],
        "system": dialogue.system,
        "images": [dialogue.file],
    }


_BUILDERS = {
    Format.OPENAI: _openai,
    Format.ANTHROPIC: _anthropic,
    Format.GOOGLE: _google,
    Format.SHAREGPT: _sharegpt,
}
