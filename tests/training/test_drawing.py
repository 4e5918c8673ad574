"""What an epoch learns from: names as mentions of their gold cluster, windows that lose a part, or neither."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from training_world import settings, train_documents

from arborlink.encoders.sequences import Sequences
from arborlink.encoders.views import Markers
from arborlink.entity import Entity
from arborlink.errors import InputError
from arborlink.knowledge_base import KnowledgeBase
from arborlink.training.drawing import Drawing
from arborlink.training.material import Material
from arborlink.training.mining import Mined, Mining
from arborlink.training.objectives import OBJECTIVES, make_objective
from arborlink.training.scores import negative_mask
from arborlink.training.steps import Steps
from arborlink.training.targets import ENTITY

MakeTower = Callable[..., SentenceTransformer]
# Q0 to Q11 have mentions; Q12 to Q15 have none, Q14 has one name, Q15 shares its alias with Q13.
KB = KnowledgeBase(
    [
        *(
            Entity(f"Q{n}", f"main{n}", (f"alias{n}", f"second{n}"), types=(("Place", "Person")[n % 2],))
            for n in range(12)
        ),
        Entity("Q12", "main12", ("alias12",), "a thing"),
        Entity("Q13", "main13", ("both", "alias13", "Main13")),
        Entity("Q14", "main14"),
        Entity("Q15", "main15", ("both",)),
    ]
)
OWNER = {f"alias{n}": n for n in (*range(12), 12, 13)} | {f"second{n}": n for n in range(12)}
N = 60


class World:
    """The material of the small world, with this knowledge base."""

    def __init__(self, base: Path, make_tower: MakeTower) -> None:
        self.base, self.tower = base, make_tower(dropout=0.0)
        self.tokenizer = self.tower.tokenizer

    def drawing(self, views: str = "text", by_type: bool = False, **objective: Any) -> Drawing:
        config = settings(
            self.base, encoder={"entity_views": views}, objective={"by_type": by_type, **objective}
        )
        towers = (self.tower, self.tower)
        material = Material.of(KB, train_documents(), None, config, towers, Markers(), "cpu", False)
        return Drawing(material, KB, config, (self.tokenizer, self.tokenizer), Markers())

    def read(self, texts: Sequences, row: int) -> str:
        ids = texts.tokens[texts.offsets[row] : texts.offsets[row + 1]]
        read: str = self.tokenizer.decode(ids).replace(" ##", "").replace("##", "")
        return read.removeprefix("[CLS] ").removesuffix(" [SEP]")

    def mentions(self, drawn: Material, first: int = N) -> list[str]:
        """What the mention tower reads of each example."""
        rows = drawn.examples.text_of_mention[first:].tolist()
        return [self.read(drawn.examples.texts, row) for row in rows]


@pytest.fixture(scope="module")
def world(tiny_model: Path, make_tower: MakeTower) -> World:
    return World(tiny_model, make_tower)


def names_of(read: list[str]) -> list[str]:
    """The names; the tiny vocabulary splits digits off letters in no way that decoding keeps."""
    return [text.removeprefix("[START] ").removesuffix(" [END]").replace(" ", "") for text in read]


def test_by_default_an_epoch_learns_from_the_material_itself(world: World) -> None:
    drawing = world.drawing()
    assert drawing.draw(0) is drawing.draw(5) is drawing.material
    assert (drawing.n_names, drawing.fingerprint) == (0, drawing.material.fingerprint)
    assert drawing.described() == drawing.material.described()


@pytest.mark.parametrize("views", ["text", "names"])
def test_names_are_mentions_of_their_entity_compared_with_a_view_without_them(
    world: World, views: str
) -> None:
    drawing = world.drawing(views, name_mentions=0.25)
    assert drawing.n_names == 15
    drawn = drawing.draw(0)
    examples, before = drawn.examples, drawing.material
    assert len(examples) == N + 15
    read = world.mentions(drawn)
    assert all(text.startswith("[START] ") and text.endswith(" [END]") for text in read)
    names = names_of(read)
    assert len(set(names)) == 15
    assert examples.groups[N:].tolist() == [OWNER[name] for name in names]
    assert examples.in_kb[N:].all()
    assert examples.groups[:N].tolist() == before.examples.groups.tolist()
    assert world.mentions(drawn, 0)[:N] == world.mentions(before, 0)
    assert examples.gold_view is not None
    assert set(examples.gold_view[:N].tolist()) == {-1}
    for name, view in zip(names, examples.gold_view[N:].tolist(), strict=True):
        text = world.read(drawn.entities.texts, int(drawn.entities.text_of_view[view])).replace(" ", "")
        assert drawn.entities.entity_of_view[view] == OWNER[name]
        assert text.startswith(f"main{OWNER[name]}[TITLE]")
        assert name not in text
        rival = name.replace("alias", "second") if name.startswith("a") else name.replace("second", "alias")
        assert (rival in text) == (views == "text" and rival in OWNER)
    # what is searched, and what the model is judged with, is the knowledge base as it was
    assert drawn.entities.offsets.tolist() == before.entities.offsets.tolist()
    assert drawn.entities.n_searched == len(before.entities.text_of_view)
    assert drawing.described().endswith("; in each epoch 15 of 26 aliases of 14 entities as mentions")


def test_half_of_the_names_are_of_entities_with_mentions(world: World) -> None:
    drawing = world.drawing(name_mentions=0.1)
    seen: Counter[bool] = Counter()
    for epoch in range(40):
        entities = drawing.draw(epoch).examples.groups[N:]
        assert len(set(entities.tolist())) == 6  # none has given two
        assert (entities < 12).sum() >= 3
        seen.update((entities < 12).tolist())
    assert seen[False] > 20


def test_seed_and_epoch_decide(world: World) -> None:
    options: dict[str, Any] = {"name_mentions": 0.25, "context_dropout": 0.3, "name_dropout": 0.3}
    one, other = world.drawing(**options), world.drawing(**options)
    read = [world.mentions(one.draw(epoch), 0) for epoch in range(3)]
    assert read == [world.mentions(other.draw(epoch), 0) for epoch in (0, 1, 2)]
    assert world.mentions(other.draw(0), 0) == read[0]  # again, after others
    assert len({tuple(each) for each in read}) == 3
    assert {len(each) for each in read} == {N + 15}


def test_a_name_is_read_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[str] = Counter()

    def noted(texts: list[str], *rest: Any) -> Sequences:
        read.update(texts)
        return original(texts, *rest)

    original = Sequences.of
    drawing = world.drawing(name_mentions=0.25)
    monkeypatch.setattr(Sequences, "of", noted)
    drawn = [names_of(world.mentions(drawing.draw(epoch))) for epoch in range(6)]
    assert sorted({name for names in drawn for name in names}) == sorted(OWNER)
    assert sum(text.startswith("[START]") for text in read) == sum("[TITLE]" in text for text in read) == 26
    assert set(read.values()) == {1}


def test_there_are_no_more_names_than_there_are(world: World) -> None:
    drawn = world.drawing(name_mentions=5.0).draw(0)
    assert sorted(names_of(world.mentions(drawn))) == sorted(OWNER)


def test_no_other_name_is_refused(world: World, tiny_model: Path) -> None:
    config = settings(tiny_model, objective={"name_mentions": 0.5})
    plain = KnowledgeBase(replace(entity, aliases=(entity.name.upper(), "both")) for entity in KB)
    material = world.drawing().material
    with pytest.raises(InputError) as refused:
        Drawing(material, plain, config, (world.tokenizer, world.tokenizer), Markers())
    assert str(refused.value) == (
        "objective.name_mentions is 0.5, but none of the 16 entities has an alias of other words than its name that "
        "no other entity has; set it to 0"
    )


def test_windows_lose_their_name_or_their_context_as_often_as_asked(world: World) -> None:
    drawing = world.drawing(context_dropout=0.25, name_dropout=0.5)
    before = world.mentions(drawing.material, 0)
    counts: Counter[str] = Counter()
    for epoch in range(20):
        drawn = drawing.draw(epoch)
        assert drawn.examples.groups is drawing.material.examples.groups
        assert drawn.entities is drawing.material.entities
        assert len(np.unique(drawn.examples.text_of_mention)) == len(drawn.examples.texts)
        for own, whole in zip(world.mentions(drawn, 0), before, strict=True):
            left, rest = whole.split("[START]")
            name, right = rest.split("[END]")
            kinds = {
                whole: "whole",
                f"[START]{name}[END]": "bare",
                f"{left}[START] [MASK] [END]{right}": "nameless",
            }
            counts[kinds[own]] += 1
    assert counts["bare"] / (20 * N) == pytest.approx(0.25, abs=0.05)
    assert counts["nameless"] / (20 * N) == pytest.approx(0.5, abs=0.05)
    everything = world.mentions(world.drawing(name_dropout=1.0).draw(0), 0)
    assert all("[START] [MASK] [END]" in text for text in everything)


def mined_of(drawn: Material, mining: Mining) -> Mined:
    if not mining.needs_vectors:
        return mining.draw(0)
    draw = np.random.default_rng(3)
    vectors = [
        torch.from_numpy(draw.standard_normal((len(texts), 3)).astype(np.float32))
        for texts in (drawn.examples.texts, drawn.entities.texts)
    ]
    return mining.mine(vectors[0], vectors[1], 0)


@pytest.mark.parametrize("by_type", [False, True])
@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("views", ["text", "names"])
def test_names_are_asked_and_compared_like_mentions(
    world: World, name: str, views: str, by_type: bool
) -> None:
    drawn = world.drawing(views, by_type, name_mentions=0.4).draw(1)
    needs = make_objective(name, entity_negatives=4, mention_negatives=4).needs
    examples, entities = drawn.examples, drawn.entities
    mining = Mining(examples, entities, needs, "arborescence", 0, block_size=4, types=drawn.types)
    mined = mined_of(drawn, mining)
    assert examples.gold_view is not None
    assert mined.gold_view[N:].tolist() == examples.gold_view[N:].tolist()
    assert (mined.gold_view[:N] < entities.n_searched).all()
    assert mined.wrong_views.max(initial=-1) < entities.n_searched
    owner = entities.entity_of_view
    for query, group in enumerate(examples.groups.tolist()):
        wrong = mined.wrong_views[query][mined.wrong_views[query] >= 0]
        others = mined.wrong_mentions[query][mined.wrong_mentions[query] >= 0]
        assert group not in owner[wrong]
        assert group not in examples.groups[others]
        if by_type and group < 12:
            assert not any(
                KB.entities[own].types and set(KB.entities[own].types).isdisjoint(KB.entities[group].types)
                for own in owner[wrong].tolist()
            )
        if mined.positive[query] >= 0:
            assert examples.groups[mined.positive[query]] == group
    if needs.targets:
        assert ENTITY in mined.positive[N:].tolist()
        assert any(parent >= N for parent in mined.positive[:N])
    steps = Steps(world.drawing().material.examples, world.drawing().material.entities, needs, 14)
    n_before = len(steps)
    steps.learn_from(examples, entities, drawn.scopes)
    steps.start(1, mined)
    assert len(steps) > n_before
    asked: list[int] = []
    for number in range(len(steps)):
        item = steps[number]
        asked += item["query_groups"].tolist()
        wrong = negative_mask(item["query_groups"], item["candidate_groups"])
        assert not wrong.gather(1, item["entity"].clamp(min=0)[:, None])[item["entity"] >= 0].any()
    assert sorted(asked) == sorted(examples.groups.tolist())


def test_names_keep_to_the_scope_of_their_entity(world: World) -> None:
    drawing = world.drawing(name_mentions=0.4)
    of_entities = np.arange(16) % 2
    material = drawing.material
    scoped = replace(material, scopes=(of_entities[material.examples.groups], of_entities))
    config = settings(world.base, objective={"name_mentions": 0.5})
    again = Drawing(scoped, KB, config, (world.tokenizer, world.tokenizer), Markers())
    drawn = again.draw(0)
    assert drawn.scopes is not None
    assert drawn.scopes[0].tolist() == of_entities[drawn.examples.groups].tolist()
    assert drawn.scopes[1].tolist() == of_entities[drawn.entities.entity_of_view].tolist()
    # the scopes of Q13 and Q15 are one: "both" stays ambiguous; apart, it is a name of either
    assert again.described().endswith("of 26 aliases of 14 entities as mentions")
    apart = np.arange(16)
    scoped = replace(material, scopes=(apart[material.examples.groups], apart))
    again = Drawing(scoped, KB, config, (world.tokenizer, world.tokenizer), Markers())
    assert again.described().endswith("of 28 aliases of 15 entities as mentions")
