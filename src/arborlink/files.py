"""Reading text line by line and writing whole files or none, with gzip handled by content and name."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from arborlink.errors import InputError

GZIP_MAGIC = b"\x1f\x8b"


def open_binary(path: Path) -> BinaryIO:
    """Open a file for reading, unpacking it if its content is gzip whatever its name."""
    try:
        with path.open("rb") as stream:
            packed = stream.read(2) == GZIP_MAGIC
        return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path) from error


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
def write_text(path: Path) -> Iterator[IO[str]]:
    """Open a UTF-8 text for writing; it takes its name only when all of it is on disk. ``.gz`` is packed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as raw:
            if path.name.endswith(".gz"):
                # mtime=0: equal content gives equal bytes
                with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
                    with _text(cast(BinaryIO, packed)) as text:
                        yield text
            else:
                with _text(raw) as text:
                    yield text
            raw.flush()
            os.fsync(raw.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _text(binary: BinaryIO) -> Iterator[IO[str]]:
    import io

    text = io.TextIOWrapper(binary, encoding="utf-8", newline="\n")
    yield text
    text.flush()
    text.detach()
