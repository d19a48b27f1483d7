"""Examples in the chat formats in which providers take training data.

`openai`: supervised fine-tuning with images, https://platform.openai.com/docs/guides/vision-fine-tuning
`anthropic`: a Messages request with the reply, as Amazon Bedrock takes it for Claude.
`google`: supervised tuning of Gemini on Vertex AI, whose images are files in a bucket.
`sharegpt`: what LLaMA-Factory and others read; images are files beside the lines.
"""

import base64
import json
from enum import StrEnum
from typing import Any, NamedTuple

from evaluation.prompts import PromptSet
from llm_control.choices import ArenaChoices
from llm_control.finetuning.example import Example
from llm_control.messages import first_parts, opening
from llm_control.observations import View
from render import png

LARGEST_OPENAI = 50_000
"""Examples with images that OpenAI takes in one file (vision-fine-tuning guide)."""


class Format(StrEnum):
    """Whose chat format the lines have."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    SHAREGPT = "sharegpt"

    @property
    def has_files(self) -> bool:
        """Whether the pictures are files beside the lines; else they are in the lines."""
        return self in (Format.GOOGLE, Format.SHAREGPT)


class Exchange(NamedTuple):
    """What the model is shown, word for word as in an evaluation, and what it should reply.

    `picture` is a PNG file's bytes, `file` its path from the data set's folder.
    """

    system: str
    user: str
    picture: bytes
    reply: str
    file: str


def exchange(example: Example, prompts: PromptSet) -> Exchange:
    """An example as the conversation of an evaluation whose first reply it is."""
    choices = ArenaChoices()
    (system,) = opening(choices, prompts)
    parts = first_parts(choices, prompts, example.health, View((example.frame,), None))
    text = "".join(part for part in parts if isinstance(part, str))
    return Exchange(system.text, text, png(example.frame), example.reply, picture_file(example.index))


def picture_file(index: int) -> str:
    """Where the picture of an example is, in a thousand to a folder: some file systems dislike more."""
    return f"images/{index // 1000:04d}/{index:07d}.png"


def as_line(said: Exchange, format: Format, image_uri: str = "") -> str:
    """An exchange as one line of JSON; `image_uri` is where a provider finds the data set's folder."""
    return json.dumps(_PLAIN[format](said, image_uri), ensure_ascii=False)


def picture_in(line: dict[str, Any], format: Format) -> bytes | None:
    """The picture of a parsed line, None where it is a file. Raises KeyError, IndexError or ValueError."""
    if format is Format.OPENAI:
        uri: str = line["messages"][1]["content"][0]["image_url"]["url"]
        return base64.b64decode(uri.partition(",")[2], validate=True)
    if format is Format.ANTHROPIC:
        return base64.b64decode(line["messages"][0]["content"][0]["source"]["data"], validate=True)
    return None


def _base64(picture: bytes) -> str:
    return base64.b64encode(picture).decode()


def _openai(said: Exchange, image_uri: str) -> dict[str, Any]:
    image = {"url": f"data:image/png;base64,{_base64(said.picture)}"}
    content = [{"type": "image_url", "image_url": image}, {"type": "text", "text": said.user}]
    return {
        "messages": [
            {"role": "system", "content": said.system},
            {"role": "user", "content": content},
            {"role": "assistant", "content": said.reply},
        ]
    }


def _anthropic(said: Exchange, image_uri: str) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/png", "data": _base64(said.picture)}
    content = [{"type": "image", "source": source}, {"type": "text", "text": said.user}]
    return {
        "system": said.system,
        "messages": [{"role": "user", "content": content}, {"role": "assistant", "content": said.reply}],
    }


def _google(said: Exchange, image_uri: str) -> dict[str, Any]:
    file = {"mimeType": "image/png", "fileUri": f"{image_uri.rstrip('/')}/{said.file}"}
    return {
        "systemInstruction": {"role": "system", "parts": [{"text": said.system}]},
        "contents": [
            {"role": "user", "parts": [{"fileData": file}, {"text": said.user}]},
            {"role": "model", "parts": [{"text": said.reply}]},
        ],
    }


def _sharegpt(said: Exchange, image_uri: str) -> dict[str, Any]:
    return {
        "conversations": [
            {"from": "human", "value": f"<image>{said.user}"},
            {"from": "gpt", "value": said.reply},
        ],
        "system": said.system,
        "images": [said.file],
    }


_PLAIN = {
    Format.OPENAI: _openai,
    Format.ANTHROPIC: _anthropic,
    Format.GOOGLE: _google,
    Format.SHAREGPT: _sharegpt,
}
