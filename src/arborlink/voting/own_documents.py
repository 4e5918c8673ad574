"""Documents that are linked and are among the examples as well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arborlink.corpus import Corpus


@dataclass(frozen=True, slots=True)
class OwnDocuments:
    """Which mentions and which examples stand in the same text.

    A mention's labelled copy would vote for the answer, and every figure about the links would be worthless. The
    rest of the document gives the answer away nearly as well, so none of it votes. A document is known by its text:
    ids repeat from one corpus to the next, and a copy under another id gives the answer away all the same. White
    space does not count, because formats differ in how they join a title to what follows.

    Args:
        of_mentions: int32, shape (n_mentions,): a number for the text each stands in; -1 if it is not among the
            examples.
        of_examples: int32, shape (n_examples,): the same for each example; -1 if its text is not linked.
        n_documents: documents to be linked that are among the examples.
    """

    of_mentions: NDArray[np.int32]
    of_examples: NDArray[np.int32]
    n_documents: int

    @classmethod
    def of(cls, linked: Corpus, examples: Corpus) -> OwnDocuments:
        """Compare all documents of one corpus with all of the other."""
        number_of_text: dict[str, int] = {}
        texts_linked = [number_of_text.setdefault(_words(each.text), len(number_of_text)) for each in linked]
        texts_labelled = [number_of_text.get(_words(each.text), -1) for each in examples]
        is_shared = np.zeros(len(number_of_text) + 1, dtype=bool)
        is_shared[texts_labelled] = True
        is_shared[-1] = False  # where -1 looks
        shared = [text if is_shared[text] else -1 for text in texts_linked]
        return cls(
            _of_mentions(linked, shared),
            _of_mentions(examples, texts_labelled),
            int(is_shared[texts_linked].sum()),
        )

    def for_examples(self, numbers: NDArray[np.int64]) -> OwnDocuments:
        """The same where only these examples vote."""
        return OwnDocuments(self.of_mentions, self.of_examples[numbers], self.n_documents)

    @property
    def n_own(self) -> NDArray[np.int64]:
        """For each mention, how many examples have no vote about it; int64, shape (n_mentions,)."""
        # one more than the highest number, so that -1 finds a 0
        n_texts = max(self.of_mentions.max(initial=-1), self.of_examples.max(initial=-1)) + 1
        counts = np.bincount(self.of_examples[self.of_examples >= 0], minlength=n_texts + 1)
        found: NDArray[np.int64] = counts[self.of_mentions]
        return found


def _words(text: str) -> str:
    return " ".join(text.split())


def _of_mentions(corpus: Corpus, of_documents: list[int]) -> NDArray[np.int32]:
    """What is said of each document, said of each of its mentions."""
    n_mentions = [len(document.mentions) for document in corpus]
    return np.repeat(np.array(of_documents, dtype=np.int32), n_mentions)
