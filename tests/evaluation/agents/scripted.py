"""A local server whose model answers by what it is asked for: a plan, what it learnt, or an action."""

import json
import time
from collections import Counter

from tests.cases import cases
from tests.llm_control.provider import MODEL, answer

CASES = cases(__file__)

TOKENS = 1000
PRICE = 0.001
"""US dollars of a request, at a dollar per million tokens."""

ASKED = {"plan": "Decide what step", "reflection": "Which entries follow", "summary": "Write a shorter one"}
"""What the last message of a request beside the replies says, by its kind."""

ACTIONS = CASES["actions"]
"""What a model does in a suite, in turn; no episode of these is solved."""

QUESTIONS = {"<answer>explanation": "<answer>They grow.</answer>", "<answer>": "<answer>2</answer>"}
"""What a model answers where a request has these words, which are BoxingGym's."""

CHOICES = CASES["choices"]
"""Short runs."""


def content(message):
    parts = message["content"] or ()
    return parts if isinstance(parts, str) else "\n".join(p["text"] for p in parts if p["type"] == "text")


class Scripted:
    """The model of a suite; `requests` are what it was asked, each with its kind, `actions`
    what it does in turn.

    As an executor it ends a step of the plan after one action, but it does not end each third step.
    The answer to a request of the kind `stops` is cut off; after `slow_after` requests it is slow.
    """

    def __init__(self, suite):
        self.requests = []
        self.stops = None
        self.slow_after = None
        self.actions = ACTIONS[suite]
        self._done = 0

    def kinds(self):
        return Counter(kind for kind, _ in self.requests)

    def asked(self, kind):
        """The text of each request of a kind."""
        return ["\n".join(map(content, messages)) for found, messages in self.requests if found == kind]

    def __call__(self, request):
        body = json.loads(request.data)
        last = content(body["messages"][-1])
        kind = next((kind for kind, words in ASKED.items() if words in last), "act")
        is_step = kind == "act" and "The present step" in last
        if is_step and self._acts_since("plan") == 1 and self.kinds()["plan"] % 3:
            kind = "result"
        self.requests.append((kind, body["messages"]))
        if self.slow_after is not None and len(self.requests) > self.slow_after:
            time.sleep(0.3)
        if kind == self.stops:
            return answer("Noted: {", finish_reason="length")
        asked = next((said for words, said in QUESTIONS.items() if words in last), None)
        return answer(**self._said(kind, asked, bool(body.get("tools"))), tokens=TOKENS)

    def _acts_since(self, kind):
        kinds = [each for each, _ in self.requests]
        return kinds[::-1].index(kind) if kind in kinds else 0

    def _said(self, kind, asked, tools):
        number = self.kinds()[kind]
        if kind == "plan":
            return {"text": f"I know little yet.\n\nStep: stage {number}, until it is seen"}
        if kind == "result":
            return {"text": f"I saw it.\n\nResult: done, finding {number}"}
        if kind == "reflection":
            entries = {"measurements": [{"statement": f"value {number}"}]}
            if number == 1:
                heavy = {"id": None, "statement": "it is heavy", "status": "supported", "evidence": "it fell"}
                entries["hypotheses"] = [heavy]
            return {"text": f"Noted: {json.dumps(entries)}"}
        if kind == "summary":
            return {"text": json.dumps({"measurements": [{"statement": "values 1 to 10 in short"}]})}
        action = asked or self.actions[min(self._done, len(self.actions) - 1)]
        self._done = (self._done + 1) % len(self.actions)
        if tools:
            call = {"name": "act", "arguments": json.dumps({"script": action})}
            calls = [{"id": f"c{number}", "type": "function", "function": call}]
            return {"text": f"Reason {number}.", "tool_calls": calls, "finish_reason": "tool_calls"}
        return {"text": f"Thought: reason {number} is that 7 is little.\n\nAction: {action}"}


__all__ = ["CHOICES", "MODEL", "PRICE", "TOKENS", "Scripted", "content"]
