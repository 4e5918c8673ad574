"""Writing text: all of it under its name, or nothing of it."""

from __future__ import annotations

import errno
import gzip
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from arborlink.files import partial_path, read_lines, write_text


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(path: Path, text: str) -> None:
    with write_text(path) as stream:
        stream.write(text)


def write_and_fail(path: Path) -> None:
    with write_text(path) as stream:
        stream.write("new" * 100_000)
        raise ZeroDivisionError


@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz"])
def test_a_text_takes_its_name_when_it_is_whole(tmp_path: Path, name: str) -> None:
    path = tmp_path / "new" / "folder" / name
    with write_text(path) as stream:
        stream.write("naïve\n")
        assert not path.exists()
        stream.write("😀\u2028\r\n")
    assert names_in(path.parent) == [name]
    content = path.read_bytes()
    assert (gzip.decompress(content) if name.endswith(".gz") else content) == "naïve\n😀\u2028\r\n".encode()


@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz"])
@pytest.mark.parametrize("there", [False, True])
def test_an_exception_leaves_what_was_there(tmp_path: Path, name: str, there: bool) -> None:
    path = tmp_path / name
    if there:
        write(path, "old\n")
    with pytest.raises(ZeroDivisionError):
        write_and_fail(path)
    assert names_in(tmp_path) == ([name] if there else [])
    if there:
        assert [text for _, text in read_lines(path)] == ["old"]


def test_a_value_that_cannot_be_encoded_leaves_what_was_there(tmp_path: Path) -> None:
    write(tmp_path / "x", "old")
    with pytest.raises(UnicodeEncodeError):
        write(tmp_path / "x", "half \ud83d")
    assert names_in(tmp_path) == ["x"]
    assert (tmp_path / "x").read_text() == "old"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_fails_at_the_end_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    write(tmp_path / "x", "old")

    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(OSError, match="No space left on device"):
            write(tmp_path / "x", "new")
    assert names_in(tmp_path) == ["x"]
    assert (tmp_path / "x").read_text() == "old"


def test_content_is_on_disk_before_its_name_and_the_name_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, int | str]] = []
    fsync, replace = os.fsync, os.replace

    def note_fsync(descriptor: int) -> None:
        done.append(("fsync", os.fstat(descriptor).st_ino))
        fsync(descriptor)

    def note_replace(source: Path, target: Path) -> None:
        done.append(("replace", Path(target).name))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(os, "replace", note_replace)
    write(tmp_path / "x", "new")
    of_file, of_folder = (tmp_path / "x").stat().st_ino, tmp_path.stat().st_ino
    assert done == [("fsync", of_file), ("replace", "x"), ("fsync", of_folder)]


def test_a_file_system_that_cannot_sync_folders_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def refuse_folders(descriptor: int) -> None:
        if os.fstat(descriptor).st_ino == tmp_path.stat().st_ino:
            raise OSError(errno.EINVAL, "Invalid argument")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", refuse_folders)
    write(tmp_path / "x", "new")
    assert (tmp_path / "x").read_text() == "new"


def test_equal_content_gives_equal_packed_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a.gz", "same\n" * 100)
    write(tmp_path / "b.gz", "same\n" * 100)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_a_folder_of_that_name_is_told_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(IsADirectoryError):
        write(tmp_path / "x", "never")
    assert names_in(tmp_path) == ["x"]


def test_a_pipe_is_written_into_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")), daemon=True)
    reader.start()
    write(pipe, "naïve\n")
    reader.join(timeout=10)
    assert read == ["naïve\n"]
    assert pipe.is_fifo()
    assert names_in(tmp_path) == ["pipe"]


def test_two_writers_of_one_name_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with write_text(path) as first, write_text(path) as second:
        first.write("first")
        second.write("second")
    assert path.read_text() in ("first", "second")
    assert names_in(tmp_path) == ["x"]


def test_leftovers_of_ended_processes_go_and_those_of_others_stay(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", "pass"])
    ended.wait()
    host = socket.gethostname()
    stale = [tmp_path / f".x.{host}.{ended.pid}-0.partial", tmp_path / f".x.{host}.{10**30}-0.partial"]
    others = [
        tmp_path / f".x.{host}.{os.getpid()}-999.partial",
        tmp_path / f".x.elsewhere-{host}.{ended.pid}-0.partial",
        tmp_path / f".y.{host}.{ended.pid}-0.partial",
        tmp_path / f".x.{host}.mine.partial",
        tmp_path / f"x.{host}.{ended.pid}-0.partial",
    ]
    for path in [*stale, *others]:
        path.write_text("half")
    staging = tmp_path / f".x.{host}.{ended.pid}-1.partial"
    staging.mkdir()
    (staging / "half").write_text("half")
    write(tmp_path / "x", "whole")
    assert sorted(tmp_path.iterdir()) == sorted([*others, tmp_path / "x"])


def test_every_partial_path_is_a_new_one(tmp_path: Path) -> None:
    assert len({partial_path(tmp_path / "x") for _ in range(3)}) == 3
