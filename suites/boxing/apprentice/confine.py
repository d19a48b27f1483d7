"""Runs a model's program in this process after dropping privileges.

A script for an interpreter of its own, which `suites.boxing.apprentice.sandbox` starts: it imports only the
standard library. The kernel confines the process, whatever the program does in native code: resource limits,
no capabilities, Landlock for files, a seccomp filter for other system calls. In addition, a hook explains in
a sentence each forbidden action.
"""

import ctypes
import errno
import json
import os
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any

CONFINED = "confined"
"""Confirmation for the pipe, which is closed before the program begins."""

PROGRAM = "program.py"

RULES = (
    "The program may read Python and its libraries only, write in its own folder only, and use neither the "
    "network nor other processes."
)

_PR_SET_PDEATHSIG, _PR_GET_SECCOMP, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 21, 22, 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446

_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""Architectures by the kernel's audit, with their columns of system call tables."""

_DENIED: dict[str, tuple[int | None, int | None]] = {
    # The network; io_uring opens sockets without the filter.
    **{"socket": (41, 198), "socketpair": (53, 199), "io_uring_setup": (425, 425)},
    # Other programs and processes.
    **{"fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281)},
    **{"ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271)},
    **{"process_madvise": (440, 440), "pidfd_open": (434, 434), "pidfd_getfd": (438, 438)},
    **{"pidfd_send_signal": (424, 424), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138)},
    **{"rt_tgsigqueueinfo": (297, 240), "setpgid": (109, 154), "setsid": (112, 157)},
    **{"setpriority": (141, 140), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119)},
    **{"sched_setparam": (142, 118), "sched_setattr": (314, 274), "ioprio_set": (251, 30)},
    **{"move_pages": (279, 239), "migrate_pages": (256, 238), "kcmp": (312, 272)},
    # Memory that the limits do not count, or that stays.
    **{"memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194)},
    **{"msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180)},
    # Changes of files that Landlock does not govern.
    **{"chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "chown": (92, None)},
    **{"fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54), "truncate": (76, 45)},
    **{"setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14)},
    **{"lremovexattr": (198, 15), "fremovexattr": (199, 16), "utime": (132, None)},
    **{"utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88)},
    # Rare parts of the kernel.
    **{"setrlimit": (160, 164), "bpf": (321, 280), "perf_event_open": (298, 241)},
    **{"userfaultfd": (323, 282), "add_key": (248, 217), "request_key": (249, 218)},
    **{"keyctl": (250, 219), "unshare": (272, 97), "setns": (308, 268), "personality": (135, 92)},
    **{"open_by_handle_at": (304, 265), "fanotify_init": (300, 262), "mount": (165, 40)},
    **{"open_tree": (428, 428), "fsopen": (430, 430)},
    # Names of files that others create or open, in folders that Landlock closes for reading.
    **{"inotify_init": (253, None), "inotify_init1": (294, 26), "inotify_add_watch": (254, 27)},
}
"""Forbidden system calls, by their numbers on x86-64 and ARM64 (some do not exist)."""

_CLONE, _CLONE3 = (56, 220), 435
_OWN = {"kill": (62, 129), "tgkill": (234, 131)}
"""System calls that may name this process only."""
_PRLIMIT = (302, 261)
_FCNTL, _OWNERS = (72, 25), (8, 10, 15)
"""The call, and its commands by which files' owners get signals."""

_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _ABOVE, _HAS, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_CLONE_THREAD = 0x10000

_READ = 0b1100
_WRITE_FILE = 0b10
_OWN_FOLDER = _READ | _WRITE_FILE | 0b0110_0001_1011_0000
"""Landlock's rights to read; and to write, truncate, create, move and remove."""

_SENTENCES = {
    "socket.": "use the network",
    "subprocess.Popen": "start a process",
    "os.system": "start a process",
    "os.exec": "start a process",
    "os.posix_spawn": "start a process",
    "os.fork": "start a process",
    "os.kill": "send a signal",
}
"""Explanations of forbidden actions, by the start of the audit event."""


def lacking() -> str | None:
    """Explain the machine's missing means of confinement; None if complete."""
    if not sys.platform.startswith("linux"):
        return f"only Linux can confine a program, and this is {sys.platform}"
    if os.uname().machine not in _MACHINES:
        return f"the filter of system calls knows {' and '.join(_MACHINES)}, not {os.uname().machine}"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(_CREATE_RULESET, None, 0, 1) < 1:
        return "the kernel has no Landlock (Linux 5.13 or later, with landlock among its `lsm`)"
    if libc.prctl(_PR_GET_SECCOMP, 0, 0, 0, 0) < 0:
        return "the kernel has no seccomp"
    return None


def confine(folder: str, limits: dict[str, int], hidden: Iterable[str]) -> None:
    """Restrict the process to computing, Python's libraries, and one folder.

    The libraries are without the `hidden` ones. `limits`: `seconds` of processor time, bytes of `memory`
    (addresses) and of a `file`. Raises OSError if the kernel refuses.
    """
    import resource

    libc = ctypes.CDLL(None, use_errno=True)
    # The program ends with the process that started it, even if that is killed.
    _check(libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
    for kind, most in (
        (resource.RLIMIT_CPU, limits["seconds"]),
        (resource.RLIMIT_AS, limits["memory"]),
        (resource.RLIMIT_FSIZE, limits["file"]),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    _check(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _check(libc.capset(struct.pack("Ii", 0x20080522, 0), bytes(24)))
    _guard_files(libc, folder, frozenset(hidden))
    program = _filter(os.uname().machine, os.getpid())
    buffer = ctypes.create_string_buffer(program, len(program))
    prog = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    _check(libc.prctl(_PR_SET_SECCOMP, 2, ctypes.c_char_p(prog), 0, 0))
    sys.addaudithook(_refuse)


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _refuse(event: str, arguments: object) -> None:
    for begins, what in _SENTENCES.items():
        if event.startswith(begins):
            raise PermissionError(errno.EPERM, f"the program may not {what}")


def _guard_files(libc: Any, folder: str, hidden: frozenset[str]) -> None:
    version = _check(libc.syscall(_CREATE_RULESET, None, 0, 1))
    rights = (1 << (13 + (version >= 2) + (version >= 3) + (version >= 5))) - 1
    # Also TCP ports, abstract Unix sockets and signals to processes outside.
    handled = struct.pack("QQQ", rights, 3, 3)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = _check(libc.syscall(_CREATE_RULESET, handled, len(handled), 0))
    for path, allowed in [*_readable(hidden), (folder, _OWN_FOLDER & rights)]:
        try:
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        rule = struct.pack("=Qi", allowed, opened)
        _check(libc.syscall(_ADD_RULE, ruleset, 1, rule, 0))
        os.close(opened)
    _check(libc.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _readable(hidden: frozenset[str]) -> Iterator[tuple[str, int]]:
    """Yield the program's accessible paths outside its folder, with Landlock's rights."""
    library = os.path.dirname(os.path.realpath(os.__file__))
    installed = [each for each in sys.path if each.endswith("-packages")]
    # A rule for a folder would cover all its contents, so every entry has its own.
    for folder in dict.fromkeys([library, *map(os.path.realpath, installed)]):
        yield folder, 0b1000
        for entry in os.scandir(folder):
            if not entry.name.endswith("-packages") and entry.name not in hidden:
                yield entry.path, _READ if entry.is_dir() else 0b100
    with open("/proc/self/maps", encoding="utf-8") as maps:
        loaded = [line.split(maxsplit=5)[-1].strip() for line in maps if ".so" in line]
    for folder in dict.fromkeys(map(os.path.dirname, loaded)):
        yield from ((each.path, 0b100) for each in os.scandir(folder) if ".so" in each.name)
    yield from ((path, 0b100) for path in ("/etc/ld.so.cache", "/etc/localtime", "/dev/urandom"))
    yield from (("/dev/null", 0b110), ("/usr/share/zoneinfo", _READ))


def _filter(machine: str, pid: int) -> bytes:
    """Compose the seccomp filter, in the kernel's instructions."""
    arch, column = _MACHINES[machine]
    refuse, missing = (_RETURN, _REFUSE | errno.EPERM), (_RETURN, _REFUSE | errno.ENOSYS)
    found: list[tuple[int, ...]] = [(_LOAD, 4), (_EQUAL, arch, 1, 0), (_RETURN, _KILL), (_LOAD, 0)]
    # Unknown later system calls are blocked.
    found += [(_ABOVE, 450, 0, 1), missing, (_EQUAL, _CLONE3, 0, 1), missing]

    def allowed_if(number: int, *tests: tuple[int, ...]) -> None:
        """Refuse a call unless its arguments pass all tests."""
        found.append((_EQUAL, number, 0, 2 * len(tests) + 2))
        for place, (argument, *test) in enumerate(tests):
            found.extend([(_LOAD, argument), (*test, 0, 2 * (len(tests) - place) - 1)])
        found.extend([(_RETURN, _ALLOW), refuse])

    allowed_if(_CLONE[column], (16, _HAS, _CLONE_THREAD))
    for numbers in _OWN.values():
        allowed_if(numbers[column], (16, _EQUAL, pid))
    # Limits can be read, but not set: the pointer to the new ones has to be zero.
    allowed_if(_PRLIMIT[column], (32, _EQUAL, 0), (36, _EQUAL, 0))
    found += [(_EQUAL, _FCNTL[column], 0, 2 * len(_OWNERS) + 2), (_LOAD, 24)]
    for command in _OWNERS:
        found += [(_EQUAL, command, 0, 1), refuse]
    found.append((_RETURN, _ALLOW))
    for row in _DENIED.values():
        if (number := row[column]) is not None:
            found += [(_EQUAL, number, 0, 1), refuse]
    found.append((_RETURN, _ALLOW))
    return b"".join(struct.pack("HBBI", code, *(*jumps, 0, 0)[:2], k) for code, k, *jumps in found)


def main(pipe: int) -> int:
    """Run the program in standard input's JSON; status 1 on its error. The pipe, a file descriptor, gets
    `CONFINED`, or the reason why confinement failed."""
    job = json.load(sys.stdin)
    try:
        confine(os.getcwd(), job["limits"], job["hidden"])
    except OSError as error:
        os.write(pipe, str(error).encode())
        return 1
    os.write(pipe, CONFINED.encode())
    # The program's own output cannot fake the confirmation.
    os.close(pipe)
    return _run(job["program"], job["then"], {"__name__": "__main__", **job["variables"]})


def _run(program: str, then: str | None, variables: dict[str, Any]) -> int:
    """Execute the program, then `main` of a second one on its variables."""
    try:
        exec(compile(program, PROGRAM, "exec"), variables)
        if then is not None:
            own: dict[str, Callable[[dict[str, Any]], None]] = {}
            exec(compile(then, "then", "exec"), own)
            own["main"](variables)
    except BaseException as error:
        print(_described(error, program.splitlines()))
        return 1
    return 0


def _described(error: BaseException, lines: list[str]) -> str:
    """Describe an error with the lines of the program that led to it."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [each.lineno or 0 for each in frames if each.filename == PROGRAM]
    shown = [f"line {each}: {lines[each - 1].strip()}" for each in places if 0 < each <= len(lines)]
    said = [*shown[-5:], f"{type(error).__name__}: {error}"]
    if isinstance(error, PermissionError):
        said.append(RULES)
    if isinstance(error, MemoryError):
        import resource

        said.append(f"The program may use {resource.getrlimit(resource.RLIMIT_AS)[0] >> 20} MiB of memory.")
    return "\n".join(said)


if __name__ == "__main__":
    status = main(int(sys.argv[1]))
    sys.stdout.flush()
    # Threads of a program may never end.
    os._exit(status)
