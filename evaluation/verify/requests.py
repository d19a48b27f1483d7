"""Whether each request carried the pictures that the budget and the memory of its choices allow."""

from collections.abc import Iterator, Mapping

from inspect_ai.model import ContentImage

from evaluation.agents.plan_execute import turns_since_step
from evaluation.choices.run_choices import RunChoices
from evaluation.generation.image_budget import collage
from evaluation.generation.image_rules import kept_images
from evaluation.generation.memory import sent
from evaluation.log.exchanges import EpisodeTalk, Exchange, Request, picture, picture_slots
from evaluation.log.messages import agent_facts
from evaluation.log.sample import LoggedSample
from evaluation.verify.pictures import unlike
from evaluation.verify.result import Finding


class Requests:
    """Compares what was sent for the replies of one sample with what follows from its conversation."""

    def __init__(self, sample: LoggedSample, choices: RunChoices) -> None:
        self._messages, self._choices = sample.raw.messages, choices
        self._attachments: Mapping[str, str] = sample.raw.attachments or {}
        self._plan = agent_facts(sample.raw).get("plan") or ()
        said = sample.said.exchanges if sample.said else ()
        # Exactly one message, the first view, stands between the opening and the first reply.
        self._opening = said[0].message - 1 if said else 0

    def findings(self, number: int, exchange: Exchange) -> Iterator[Finding]:
        """What differs in the request for a turn's reply, which must be in the log."""
        if exchange.request is not None:
            yield from self._unlike(number, exchange.message, exchange.request)

    def _turns(self, number: int, place: int) -> int | None:
        """How many earlier turns may be sent at most."""
        limit = self._choices.memory_turns
        if self._choices.agent != "plan-execute":
            return limit
        since = turns_since_step(self._plan, number, self._messages[self._opening : place])
        return since if limit is None else min(limit, since)

    def _unlike(self, number: int, place: int, request: Request) -> Iterator[Finding]:
        choices = self._choices
        memory = self._turns(number, place), choices.memory_characters, choices.short_turns
        messages = sent(self._messages[:place], self._opening, *memory)
        there = [uri for uri in picture_slots(messages, self._attachments) if uri is not None]
        rule = request.budget or self._choices.images
        kept = kept_images(rule, len(there))
        if rule == "collage" and len(there) > 1:
            yield from _collage_findings(number, there, request)
            return
        expected = tuple(uri if place in kept else None for place, uri in enumerate(there))
        if request.collage or request.slots != expected:
            yield Finding(
                number, "pictures sent", described(request.slots, there), described(expected, there)
            )


def _collage_findings(number: int, there: list[str], request: Request) -> Iterator[Finding]:
    if request.collage is None or len(request.slots) != len(there):
        yield Finding(number, "pictures sent", described(request.slots, there), f"{len(there)} in one")
        return
    whole = collage([ContentImage(image=uri) for uri in there])
    yield from unlike(number, "collage", request.collage, picture(whole.image))


def described(slots: tuple[str | None, ...], there: list[str]) -> str:
    """Which of the conversation's pictures were sent, in words."""
    kept = [str(n) for n, slot in enumerate(slots, start=1) if slot is not None]
    other = sum(slot is not None and slot not in there for slot in slots)
    strange = f", {other} of them of no picture of the conversation" if other else ""
    return f"{', '.join(kept) or 'none'} of {len(slots)}{strange}"


def missing_requests(talk: EpisodeTalk) -> Iterator[str]:
    """A note on the replies of an episode for which the log does not have what was sent."""
    missing = sum(each.request is None for each in talk.exchanges)
    if missing:
        yield (
            f"what was sent for {missing} of its replies is not in the log: they were kept from an earlier, "
            "interrupted attempt"
        )
