"""The same towers and names with another share: nothing else changes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from embeddings_world import affinity
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arborlink import Corpus, Document, Entity, KnowledgeBase, Mention
from arborlink.encoders.blended import BlendedEncoder
from arborlink.encoders.loading import load_encoder
from arborlink.encoders.name_share import name_share_of, with_name_share
from arborlink.encoders.names import NameEncoder
from arborlink.encoders.towers import TowerEncoder
from arborlink.errors import InputError

KB = KnowledgeBase([Entity("Q1", "rat", ("rats",)), Entity("Q2", "fever", ("pyrexia",)), Entity("Q3", "x")])
CORPUS = Corpus([Document("d", "rats had fever", (Mention("a", 0, 4), Mention("b", 9, 14)))])


@pytest.fixture(scope="module")
def parts(tiny_model: Path) -> tuple[TowerEncoder, NameEncoder]:
    towers = load_encoder(tiny_model, view="context", device="cpu")
    names = load_encoder(tiny_model, view="names", device="cpu")
    assert isinstance(towers, TowerEncoder)
    assert isinstance(names, NameEncoder)
    return towers, names


@given(share=st.floats(0.01, 0.99), own=st.floats(0.01, 0.99))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_affinities_are_those_of_a_model_that_was_made_so(
    parts: tuple[TowerEncoder, NameEncoder], share: float, own: float
) -> None:
    towers, names = parts
    changed = with_name_share(BlendedEncoder(towers, names, own), share)
    assert name_share_of(changed) == share
    assert changed.fingerprint == BlendedEncoder(towers, names, share).fingerprint
    mentions, entities = changed.encode_mentions(CORPUS), changed.encode_entities(KB, CORPUS)
    by_towers = towers.encode_mentions(CORPUS), towers.encode_entities(KB)
    by_names = names.encode_mentions(CORPUS), names.encode_entities(KB, CORPUS)
    for i in range(2):
        for j in range(3):
            mean = (1 - share) * affinity(*by_towers, i, j) + share * max(affinity(*by_names, i, j), 0.0)
            assert affinity(mentions, entities, i, j) == pytest.approx(mean, abs=1e-4)


def test_its_own_share_leaves_it_as_it_is(parts: tuple[TowerEncoder, NameEncoder]) -> None:
    encoder = BlendedEncoder(*parts, 0.25)
    assert with_name_share(encoder, 0.25) is encoder
    assert name_share_of(encoder) == 0.25


def test_what_has_not_both_has_no_share(parts: tuple[TowerEncoder, NameEncoder]) -> None:
    for encoder in parts:
        assert name_share_of(encoder) is None
        with pytest.raises(InputError, match=r"the share of names is 0\.3, but this model has no comparison"):
            with_name_share(encoder, 0.3)


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, math.nan, math.inf])
def test_it_lies_between_nothing_and_all(parts: tuple[TowerEncoder, NameEncoder], share: float) -> None:
    with pytest.raises(InputError, match=f"the share of names is {share:g}; expected a number above 0"):
        with_name_share(BlendedEncoder(*parts, 0.25), share)
