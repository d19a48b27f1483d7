"""Published batteries are fetched from servers and folders, and known by their digests."""

import hashlib
import io
import re
import signal
import socket
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType

import pytest

from arena import ConfigError
from arena.errors import EvaluationError
from testbed import originals
from testbed.curriculum import Levels
from testbed.originals import NAMES, SOURCES, digests, is_published, kept_folder, located
from testbed.tasks import CHILDREN, find_tasks, task_named
from tests.command import run, start
from tests.llm_control.batteries import task_text

FILES = {f"01-0{n}-01": task_text(z=10 + n, t=100).encode() for n in range(1, 6)}


def packed(files, extra=()):
    """A .tar.gz as GitHub makes them, with other members among the task files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, content in {"repo-1/README.md": b"x" * 3000, **dict(extra), **files}.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("repo-1/configs/01-09-09.yaml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return out.getvalue()


ARCHIVE = packed({f"repo-1/configs/competition/{name}.yaml": text for name, text in FILES.items()})


class Server(BaseHTTPRequestHandler):
    """Answers /good, /short, /html, /slow, /bomb, /evil and 404; as a proxy, every absolute address."""

    asked: list[str]

    def do_GET(self):
        self.asked.append(self.path)
        name = self.path.rpartition("/")[2]
        bodies = {
            "good": ARCHIVE,
            "short": ARCHIVE[:-200],
            "html": b"<html>sign in</html>",
            "bomb": packed({"big": bytes(30_000_000)}),
            "evil": packed({"../../../../../01-01-01.yaml": b"other", "/tmp/01-02-01.yaml": b"other"}),
        }
        if name == "slow":
            self.stop.wait(20)
            return
        if name not in bodies:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(ARCHIVE) if name == "short" else len(bodies[name])))
        self.end_headers()
        self.wfile.write(bodies[name])

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    stop = threading.Event()
    handler = type("Handler", (Server,), {"asked": [], "stop": stop})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
        served.daemon_threads = True
        threading.Thread(target=served.serve_forever, daemon=True).start()
        served.url = f"http://127.0.0.1:{served.server_port}"
        served.asked = handler.asked
        yield served
        stop.set()
        served.shutdown()


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """An empty data folder of the user, and a battery of five files."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    known = MappingProxyType({name: hashlib.sha256(text).hexdigest() for name, text in FILES.items()})
    monkeypatch.setattr(originals, "digests", lambda name: known)
    return tmp_path / "data" / "arena-llm" / "testbeds"


def contents(folder):
    return {path.stem: path.read_bytes() for path in folder.iterdir()} if folder.is_dir() else None


def test_the_900_digests_are_there_and_one_differs_in_llm_aai():
    original, paper = map(digests, NAMES)
    assert len(original) == len(paper) == 900
    assert [task for task in original if original[task] != paper[task]] == ["04-22-01"]
    assert set(CHILDREN) < original.keys()
    assert all(source.archive.startswith("https://codeload.github.com/") for source in SOURCES.values())


def test_the_digests_are_those_of_the_originals_files(official_testbed):
    files = {path.stem: path.read_bytes() for path in official_testbed.glob("*.yaml")}
    assert {name: hashlib.sha256(text).hexdigest() for name, text in files.items()} == digests("original")
    now = b"y: 0.2, z: 22} #originally: - !Vector3 {x: 10, y: 0.1, z: 22}, updated for compatibility"
    changed = files["04-22-01"].replace(b"y: 0.1, z: 22}", now)
    assert hashlib.sha256(changed).hexdigest() == digests("llm-aai")["04-22-01"]
    assert is_published("04-22-01", digests("llm-aai")["04-22-01"])
    assert not is_published("04-22-01", digests("llm-aai")["04-22-01"], "original")
    assert not is_published("01-01-01", None)
    assert not any(is_published(task.id, task.sha256) for task in find_tasks((1,)))


def test_a_battery_is_fetched_from_a_server(server, kept):
    assert originals.fetch("original", f"{server.url}/good") == kept / "original"
    assert contents(kept / "original") == FILES
    assert [path.name for path in kept.iterdir()] == ["original"]
    assert [originals.is_kept(name) for name in NAMES] == [True, False]
    (kept / "original" / "01-01-01.yaml").write_bytes(b"changed")
    assert not originals.is_kept("original")
    originals.fetch("original", f"{server.url}/good")
    assert contents(kept / "original") == FILES


def test_the_public_repository_is_asked_by_default(server, kept, monkeypatch):
    source = SOURCES["llm-aai"]._replace(archive=f"{server.url}/good")
    monkeypatch.setattr(originals, "SOURCES", {"llm-aai": source})
    originals.fetch("llm-aai")
    assert contents(kept / "llm-aai") == FILES


def test_a_proxy_is_used_and_named(server, kept, monkeypatch):
    monkeypatch.setenv("http_proxy", server.url)
    originals.fetch("original", "http://files.example.invalid/good")
    assert server.asked == ["http://files.example.invalid/good"]
    with pytest.raises(EvaluationError, match=r"downloaded through the proxy 127\.0\.0\.1 .*404"):
        originals.fetch("original", "http://files.example.invalid/nothing")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nothing", r"cannot be downloaded \(the server answered 404 Not Found\); .*--from FOLDER_OR_URL"),
        ("html", r"expected a complete archive in .tar.gz format, got something else \(Not a gzipped file"),
        ("short", "expected a complete archive.*ended before"),
        ("bomb", "unpacks to more than 1,000,000 bytes"),
        ("evil", r"2 of 5 task files differ from the published ones \(the first: 01-01-01, expected SHA-256"),
    ],
)
def test_what_a_server_may_answer_instead_is_a_sentence(server, kept, path, message, monkeypatch):
    monkeypatch.setattr(originals, "MOST_BYTES", 1_000_000)
    with pytest.raises(EvaluationError, match=message):
        originals.fetch("original", f"{server.url}/{path}")
    assert contents(kept / "original") is None
    assert not kept.exists() or not list(kept.iterdir())


def test_a_silent_server_and_no_network_are_sentences(server, kept, monkeypatch):
    monkeypatch.setattr(originals, "TIMEOUT_S", 0.3)
    with pytest.raises(EvaluationError, match=r"no answer for 0\.3 s"):
        originals.fetch("original", f"{server.url}/slow")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(EvaluationError, match="Connection refused"):
        originals.fetch("original", f"http://127.0.0.1:{port}/good")


def test_a_clone_serves_wherever_the_files_lie_in_it(tmp_path, kept):
    folder = tmp_path / "clone" / "data" / "deep"
    folder.mkdir(parents=True)
    for name, text in FILES.items():
        (folder / f"{name}.yaml").write_bytes(text)
    (tmp_path / "clone" / "01-01-01.yaml").write_bytes(b"another of this name")
    originals.fetch("original", str(tmp_path / "clone"))
    assert contents(kept / "original") == FILES
    (folder / "01-05-01.yaml").unlink()
    with pytest.raises(
        EvaluationError, match=r"1 of 5 task files are missing \(the first: 01-05-01\); nothing was"
    ):
        originals.fetch("original", str(tmp_path / "clone"))
    assert contents(kept / "original") == FILES
    for wrong in (str(tmp_path / "nowhere"), "file:///etc", "ftp://x/y.tar.gz"):
        with pytest.raises(ConfigError, match="expected a folder of task files, or a URL"):
            originals.fetch("original", wrong)


@pytest.mark.parametrize("error", [EvaluationError("No space left on device"), KeyboardInterrupt()], ids=type)
def test_a_full_disk_or_ctrl_c_keeps_nothing(error, server, kept, monkeypatch):
    def failing(path, content):
        if path.stem == "01-03-01":
            raise error
        path.write_bytes(content)

    monkeypatch.setattr(originals, "write_file", failing)
    with pytest.raises(type(error), match=str(error)):
        originals.fetch("original", f"{server.url}/good")
    assert not list(kept.iterdir())


def test_a_closed_disk_is_a_sentence(server, kept, tmp_path):
    (tmp_path / "data").mkdir()
    kept.parent.write_text("a file where the folder should be")
    with pytest.raises(EvaluationError, match="cannot be written"):
        originals.fetch("original", f"{server.url}/good")


def test_names_stand_for_the_kept_folders(kept, tmp_path):
    for name in NAMES:
        with pytest.raises(ConfigError, match=f"arena-llm testbed fetch {name}"):
            located(name)
    kept_folder("original").mkdir(parents=True)
    for name, text in FILES.items():
        (kept_folder("original") / f"{name}.yaml").write_bytes(text)
    assert located("original") == kept_folder("original") == kept / "original"
    assert located(tmp_path) == tmp_path
    assert [task.id for task in find_tasks(None, "original")] == list(FILES)
    assert task_named("01-03-01", "original").path.parent == kept / "original"
    assert Levels("1", testbed="original").next().task_id == "01-01-01"


def test_the_command_says_what_it_did_and_later_that_nothing_is_to_be_done(official_testbed, tmp_path):
    def told(*arguments):
        done = run(*arguments, XDG_DATA_HOME=str(tmp_path))
        return done.returncode, done.stdout, done.stderr

    status, _, error = told("show", "01-01-01", "--testbed", "original")
    assert (status, error.count("\n")) == (1, 1)
    assert "fetch them once with: arena-llm testbed fetch original" in error
    status, printed, error = told("testbed", "fetch", "original", "--from", official_testbed)
    assert (status, error) == (0, "")
    assert re.search(r"Apache-2.0(.|\n)*900 files, each with its published SHA-256", printed)
    status, printed, _ = told("testbed", "fetch", "original", "--from", tmp_path / "nowhere")
    assert (status, "already" in printed) == (0, True)
    status, printed, error = told("testbed", "fetch", "--from", official_testbed)
    assert (status, "original: all 900 files are" in printed) == (1, True)
    assert "1 of 900 task files differ from the published ones (the first: 04-22-01" in error
    expected = "arena-llm: got 'olympics', expected original or llm-aai\n"
    assert told("testbed", "fetch", "olympics") == (1, "", expected)
    (tmp_path / "s.txt").write_text("Go(5);\n")
    played = told("run", "01-01-01", "--testbed", "original", "--scripts", tmp_path / "s.txt")
    assert played[0] == 0, played


def test_ctrl_c_ends_the_command_in_order(tmp_path, server, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    process = start("testbed", "fetch", "original", "--from", f"{server.url}/slow")
    for _ in range(600):
        if server.asked:
            break
        threading.Event().wait(0.1)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, "Stopped" in told) == (130, True)
