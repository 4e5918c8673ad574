"""Reading text line by line and writing whole files or none, with gzip handled by content and name."""

from __future__ import annotations

import errno
import gc
import gzip
import io
import itertools
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, cast

from arborlink.errors import InputError

GZIP_MAGIC = b"\x1f\x8b"
_PARTIAL = ".partial"
_serial = itertools.count()


def open_binary(path: Path) -> BinaryIO:
    """Open a file for reading, unpacking it if its content is gzip whatever its name."""
    try:
        if _is_special(path):
            # Its format is found out by reading its beginning, which a pipe would not give a second time.
            raise InputError("is a pipe or a device; save what it gives in a file and name that", path)
        with path.open("rb") as stream:
            packed = stream.read(2) == GZIP_MAGIC
        return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path) from error


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line without its end) of a UTF-8 text, plain or gzip, LF or CRLF, BOM or not.

    Only line feeds end a line: other Unicode separators occur inside JSON strings and abstracts.
    """
    number = 0
    try:
        with open_binary(path) as stream:
            for number, raw in enumerate(stream, start=1):
                if number == 1 and raw.startswith(b"\xef\xbb\xbf"):
                    raw = raw[3:]
                yield number, raw.rstrip(b"\r\n").decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8: byte 0x{error.object[error.start]:02x} at position {error.start + 1} of the line; "
            "convert the file to UTF-8",
            path,
            number,
        ) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            "the gzip data is cut off or damaged; fetch the file again", path, number + 1
        ) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path, number + 1) from error


@contextmanager
def collector_paused() -> Iterator[None]:
    """Hold off the garbage collector while many objects are read that all stay: it would walk them over and over."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def write_text(path: Path) -> Iterator[IO[str]]:
    """Open a UTF-8 text for writing; it takes its name only when all of it is on disk. ``.gz`` is packed.

    An exception inside the ``with`` leaves nothing new behind, and a file that was there stays as it was. A pipe or
    a device (``/dev/stdout``) cannot be renamed onto and is written straight.
    """
    packed = path.name.endswith(".gz")
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and _is_special(path):
        with path.open("wb") as raw, _text(raw, packed) as text:
            yield text
        return
    partial = partial_path(path)
    try:
        with partial.open("wb") as raw:
            with _text(raw, packed) as text:
                yield text
            raw.flush()
            os.fsync(raw.fileno())
        partial.replace(path)
        sync_folder(path.parent)
    finally:
        partial.unlink(missing_ok=True)


def partial_path(path: Path) -> Path:
    """A name beside ``path`` for what is to become it, not used by any other process or thread.

    What processes of this machine that were killed have left under such names is removed.
    """
    import socket

    ours = f".{path.name}.{socket.gethostname()}."
    for entry in path.parent.iterdir():
        if entry.name.startswith(ours) and entry.name.endswith(_PARTIAL):
            process = entry.name[len(ours) : -len(_PARTIAL)].partition("-")[0]
            if process.isdecimal() and not _is_running(int(process)):
                _remove(entry)
    return path.with_name(f"{ours}{os.getpid()}-{next(_serial)}{_PARTIAL}")


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to disk: a rename survives a power cut only after this."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems cannot; there is nothing better to do on them.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Bring a folder to disk with all that is in it."""
    for path in sorted(folder.rglob("*"), reverse=True):  # what is in a folder comes before it
        if path.is_dir():
            sync_folder(path)
        else:
            with path.open("rb") as stream:
                os.fsync(stream.fileno())
    sync_folder(folder)


@contextmanager
def _text(raw: BinaryIO, packed: bool) -> Iterator[IO[str]]:
    if packed:
        # mtime=0 and no name: equal content gives equal bytes
        binary = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)
        with binary, _text(cast(BinaryIO, binary), packed=False) as text:
            yield text
        return
    text = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
    yield text
    text.flush()
    text.detach()


def _is_special(path: Path) -> bool:
    mode = path.stat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _is_running(process: int) -> bool:
    if os.name != "posix":
        return True  # nobody can be asked there without being disturbed
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _remove(entry: Path) -> None:
    from shutil import rmtree

    if entry.is_dir():
        rmtree(entry, ignore_errors=True)
    else:
        with suppress(OSError):  # another process may have been quicker
            entry.unlink()
