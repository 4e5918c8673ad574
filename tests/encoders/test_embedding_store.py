"""Vectors on disk: what is read back, what is passed over, and what happens when writing fails."""

from __future__ import annotations

import errno
import multiprocessing
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from arborlink.encoders.cache import EmbeddingStore, default_cache_folder, text_keys
from arborlink.errors import InputError

Filled = tuple[NDArray[np.float32], NDArray[np.bool_]]


def vectors_of(texts: list[str], dimension: int = 4) -> NDArray[np.float16]:
    """Vectors that tell their text."""
    return np.array(
        [[len(text), *text.encode()[: dimension - 1].ljust(dimension - 1)] for text in texts], np.float16
    )


def put(folder: Path, texts: list[str], dimension: int = 4) -> None:
    EmbeddingStore(folder, dimension).add(text_keys(texts), vectors_of(texts, dimension))


def get(folder: Path, texts: list[str]) -> Filled:
    vectors = np.full((len(texts), 4), -1, dtype=np.float32)
    filled = EmbeddingStore(folder, 4).fill(text_keys(texts), vectors)
    return vectors, filled


def assert_known(folder: Path, texts: list[str], known: list[str]) -> None:
    vectors, filled = get(folder, texts)
    assert [text for text, is_filled in zip(texts, filled, strict=True) if is_filled] == known
    np.testing.assert_array_equal(vectors[filled], vectors_of(known).reshape(-1, 4).astype(np.float32))
    assert (vectors[~filled] == -1).all()


def test_keys_are_distinct_stable_and_of_the_text_alone() -> None:
    keys = text_keys(["", "a", "A", "á", "a\u0301", "\udcff", "a" * 10_000])
    assert keys.shape == (7, 2)
    assert keys.dtype == np.uint64
    assert len({tuple(key) for key in keys.tolist()}) == 7
    assert text_keys(["a"]).tolist() == [keys[1].tolist()]
    assert text_keys([]).shape == (0, 2)


def test_texts_come_back_from_any_number_of_segments_in_any_order(tmp_path: Path) -> None:
    put(tmp_path, ["aa", "bbb", "c"])
    put(tmp_path, ["dddd"])
    put(tmp_path, ["e", "aa"])
    assert_known(tmp_path, ["e", "x", "dddd", "c", "y", "bbb", "aa"], ["e", "dddd", "c", "bbb", "aa"])
    assert_known(tmp_path, [], [])


def test_a_folder_that_is_not_there_knows_nothing_and_is_not_made(tmp_path: Path) -> None:
    assert_known(tmp_path / "none", ["aa"], [])
    assert not (tmp_path / "none").exists()


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flip_a_bit_at_the_end(content: bytes) -> bytes:
    return content[:-3] + bytes([content[-3] ^ 1]) + content[-2:]


def empty(content: bytes) -> bytes:
    return b""


def zeros(content: bytes) -> bytes:
    return bytes(len(content))


def not_ours(content: bytes) -> bytes:
    return b"not a segment at all"


@pytest.mark.parametrize("damage", [cut, flip_a_bit_at_the_end, empty, zeros, not_ours])
def test_a_damaged_segment_is_passed_over(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    put(tmp_path, ["aa", "bbb"])
    (damaged,) = tmp_path.iterdir()
    put(tmp_path, ["c"])
    damaged.write_bytes(damage(damaged.read_bytes()))
    assert_known(tmp_path, ["aa", "bbb", "c"], ["c"])
    put(tmp_path, ["aa", "bbb"])
    assert_known(tmp_path, ["aa", "bbb", "c"], ["aa", "bbb", "c"])


@pytest.mark.parametrize("which", ["keys", "vectors"])
def test_every_byte_of_a_segment_is_checked(tmp_path: Path, which: str) -> None:
    from safetensors.numpy import load_file, save_file

    put(tmp_path, ["aa", "bbb"])
    (segment,) = tmp_path.iterdir()
    content = load_file(segment)
    content[which] = content[which][::-1].copy()
    save_file(content, segment)
    assert_known(tmp_path, ["aa", "bbb"], [])


def test_foreign_files_are_passed_over(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    put(tmp_path, ["aa"])
    save_file({"weight": np.ones((2, 4), np.float32)}, tmp_path / "model.safetensors")
    save_file({"keys": text_keys(["c"]), "vectors": vectors_of(["c"])}, tmp_path / "unchecked.safetensors")
    (tmp_path / "folder.safetensors").mkdir()
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "gone.safetensors").symlink_to(tmp_path / "nowhere")
    assert_known(tmp_path, ["aa", "c"], ["aa"])


def test_a_segment_of_another_dimension_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path, ["aa"], dimension=6)
    put(tmp_path, ["bbb"])
    assert_known(tmp_path, ["aa", "bbb"], ["bbb"])


def test_nothing_but_whole_segments_is_left_behind(tmp_path: Path) -> None:
    put(tmp_path, ["aa"])
    put(tmp_path, ["bbb"])
    assert [path.suffix for path in tmp_path.iterdir()] == [".safetensors"] * 2


def write_many(folder: Path, name: str) -> None:
    for number in range(15):
        put(folder, [f"{name}{number}"])


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write_many, args=(tmp_path, name)) for name in "ab"]
    for writer in writers:
        writer.start()
    write_many(tmp_path, "c")
    for writer in writers:
        writer.join(60)
        assert writer.exitcode == 0
    texts = [f"{name}{number}" for name in "abc" for number in range(15)]
    assert_known(tmp_path, texts, texts)


def test_two_stores_take_turns(tmp_path: Path) -> None:
    one, two = EmbeddingStore(tmp_path, 4), EmbeddingStore(tmp_path, 4)
    one.add(text_keys(["aa"]), vectors_of(["aa"]))
    two.add(text_keys(["bbb"]), vectors_of(["bbb"]))
    one.add(text_keys(["c"]), vectors_of(["c"]))
    vectors = np.empty((3, 4), dtype=np.float32)
    for store in (one, two):
        assert store.fill(text_keys(["aa", "bbb", "c"]), vectors).all()


def test_a_full_disk_is_told_once_and_leaves_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("arborlink.encoders.cache.os.fsync", full)
    store = EmbeddingStore(tmp_path / "store", 4)
    with pytest.warns(RuntimeWarning, match="cannot be kept: No space left on device; going on without"):
        store.add(text_keys(["aa"]), vectors_of(["aa"]))
    assert list((tmp_path / "store").iterdir()) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store.add(text_keys(["bbb"]), vectors_of(["bbb"]))


def test_a_folder_that_cannot_be_read_knows_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, ["aa"])

    def forbidden(path: Path, pattern: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "glob", forbidden)
    assert_known(tmp_path, ["aa"], [])


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ARBORLINK_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_cache_folder() == tmp_path / ".cache" / "arborlink"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_cache_folder() == tmp_path / "xdg" / "arborlink"
    monkeypatch.setenv("ARBORLINK_CACHE", str(tmp_path / "own"))
    assert default_cache_folder() == tmp_path / "own"


def test_without_a_home_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("ARBORLINK_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", home)
    with pytest.raises(InputError, match=r"\$ARBORLINK_CACHE to a folder, or keep none with --no-cache"):
        default_cache_folder()
