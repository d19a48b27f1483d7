"""A small log, read and changed in one place each with Inspect's own means."""

import base64

from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ContentImage

from evaluation.verify.sample import verify_sample
from evaluation.verify.sources import Options, find_sources
from render import decode, png


def checked(path, **options):
    found = find_sources([path], lambda _: False)
    return [each for source in found.sources for each in verify_sample(source, Options(**options))]


def rewritten(log, tmp_path, change):
    """A copy of the log as `change` alters it."""
    whole = read_eval_log(str(log), resolve_attachments=True)
    change(whole)
    path = tmp_path / "changed.eval"
    write_eval_log(whole, str(path))
    return path


def changed(log, tmp_path, change):
    """A copy of the log in which `change` altered the first sample, or the log where it takes it."""
    return rewritten(log, tmp_path, lambda whole: change(first_of(whole), whole))


def first_of(whole):
    return next(sample for sample in whole.samples if sample.id == "01-01-01")


def turn(sample, number=1):
    return sample.metadata["episode"]["turns"][number - 1]


def recording(sample):
    return sample.metadata["episode"]["replay"]


def put(where, key, value):
    where[key] = value


def images(sample):
    return [
        (message.content, number)
        for message in sample.messages
        if not isinstance(message.content, str)
        for number, part in enumerate(message.content)
        if part.type == "image"
    ]


def frame(uri):
    """A picture of a log."""
    return decode(base64.b64decode(uri.partition(",")[2]))


def as_content(picture):
    """A frame as a message has it."""
    return ContentImage(image="data:image/png;base64," + base64.b64encode(png(picture)).decode())
