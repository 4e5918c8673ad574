"""Reading text: line ends, marks, packing, and damage told with its line."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from arborlink.errors import InputError
from arborlink.files import read_lines


def lines(path: Path) -> list[str]:
    return [text for _, text in read_lines(path)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"\n\n", ["", ""]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (b"\xef\xbb\xbf", [""]),
        ("a\u2028b\x0bc\x85d\n".encode(), ["a\u2028b\x0bc\x85d"]),
        (b"a\rb\n", ["a\rb"]),
        ("naïve 😀\n".encode(), ["naïve 😀"]),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_only_line_feeds_end_a_line(
    tmp_path: Path, content: bytes, expected: list[str], packed: bool
) -> None:
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(content) if packed else content)
    assert list(read_lines(path)) == list(enumerate(expected, start=1))


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz"])
def test_the_content_tells_whether_it_is_packed_not_the_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"plain\n")
    assert lines(path) == ["plain"]
    path.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    assert lines(path) == ["one", "two"]


def test_a_cut_gzip_gives_its_whole_lines_and_then_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    text = "".join(f"{number} {number**7}\n" for number in range(5000))
    path.write_bytes(gzip.compress(text.encode())[:-20])
    got: list[tuple[int, str]] = []
    with pytest.raises(
        InputError, match="the gzip data is cut off or damaged; fetch the file again"
    ) as error:
        got.extend(read_lines(path))
    assert got == list(enumerate(text.splitlines()[: len(got)], start=1))
    assert error.value.line == len(got) + 1
    assert error.value.path == path


@pytest.mark.parametrize("at", [2, 12, -6])
def test_a_damaged_gzip_is_told(tmp_path: Path, at: int) -> None:
    content = bytearray(gzip.compress(b"some text that is long enough to be packed\n" * 50))
    content[at] ^= 0xFF
    path = tmp_path / "x.gz"
    path.write_bytes(bytes(content))
    with pytest.raises(InputError, match="the gzip data is cut off or damaged"):
        lines(path)


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"good\nna\xefve\n", 2, "not UTF-8: byte 0xef at position 3 of the line; convert the file to UTF-8"),
        ("good\n".encode("utf-16"), 1, "not UTF-8: byte 0xff at position 1"),
        (b"a\nb\nhalf a character \xf0\x9f\x98", 3, "not UTF-8: byte 0xf0 at position 18"),
    ],
)
def test_another_encoding_is_told_with_its_line(
    tmp_path: Path, content: bytes, line: int, message: str
) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        lines(path)
    assert (error.value.path, error.value.line) == (path, line)
    assert message in error.value.message


def test_what_is_not_there_or_is_a_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: cannot be read: No such file or directory"):
        lines(tmp_path / "nowhere")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        lines(tmp_path)


def test_a_pipe_is_refused_before_anything_of_it_is_lost(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="is a pipe or a device; save what it gives in a file and name that"):
        lines(pipe)
