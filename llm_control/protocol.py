"""How an episode is put to a model: every choice of a run, in one place."""

from pydantic import BaseModel, ConfigDict, Field


class Protocol(BaseModel):
    """The paper's protocol (arXiv 2410.23242) unless told otherwise.

    `initial_idle_steps`: idle steps before the first script, in groups; after each group but the last
    there is a picture. The original takes 1 + 16 + 16 + 16 = 49 steps and three pictures. It then tells
    the health after the very first step; here the model is told its health as it is.
    `max_scripts`: after so many replies the clock runs down without the model.
    `demonstration`: whether a demonstration episode precedes the conversation (`--icl`).
    `strict`: whether only the paper's script syntax is taken; else obvious slips are mended and logged.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_scripts: int = Field(default=30, ge=1, le=1000)
    initial_idle_steps: tuple[int, ...] = (1, 16, 16, 16)
    image_size: int = Field(default=512, ge=4, le=1024)
    demonstration: bool = False
    trials: int = Field(default=1, ge=1, le=1000)
    seed: int = 0
    strict: bool = False
    temperature: float | None = 0.0
