"""A name for a discovered cluster, and why that one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from arborlink.proposals.forms import Form, forms_of, is_pronoun, why_short
from arborlink.proposals.proposal import Alias


@dataclass(frozen=True, slots=True)
class Naming:
    """The name, the rule that chose it, and the other forms with their counts, the most frequent first."""

    name: str
    reason: str
    aliases: tuple[Alias, ...]


def name_of(texts: Iterable[str]) -> Naming:
    """Choose a name among what the mentions of a cluster say, in corpus order.

    The most frequent form by case folding wins, of equals the longest, then the first. Pronouns are passed over
    while there is anything else. Where the winner is an abbreviation, a bare name or a reference of which other
    forms are the full one (:func:`arborlink.proposals.forms.why_short`), the most frequent of those takes its
    place. The rules know English determiners and pronouns; other languages get the most frequent form.

    Example:
        >>> name_of(["Doe", "Doe", "John Doe", "he"]).name
        'John Doe'
        >>> name_of(["Doe", "Doe", "John Doe", "he"]).reason
        'full form (1 of 4 mentions) of the bare name "Doe" (2)'
    """
    forms = forms_of(texts)
    n_mentions = sum(form.n_mentions for form in forms)
    chosen, reason = _chosen(forms, n_mentions)
    aliases = tuple(Alias(form.text, form.n_mentions) for form in forms if form is not chosen)
    return Naming(chosen.text, reason, aliases)


def _chosen(forms: list[Form], n_mentions: int) -> tuple[Form, str]:
    naming = [form for form in forms if not is_pronoun(form)] or forms
    leader = naming[0]
    if len(forms) == 1:
        return leader, f"the only form ({_counted(n_mentions)})"
    for form in naming[1:]:
        kind = why_short(leader, form)
        if kind is not None:
            reason = f"full form ({form.n_mentions} of {_counted(n_mentions)}) of the {kind} "
            return form, f'{reason}"{leader.text}" ({leader.n_mentions})'
    return leader, _why_leader(leader, naming, n_mentions) + _passed_over(forms, naming)


def _why_leader(leader: Form, naming: list[Form], n_mentions: int) -> str:
    share = f"{leader.n_mentions} of {_counted(n_mentions)}"
    equals = [form for form in naming if form.n_mentions == leader.n_mentions]
    if len(equals) == 1:
        return f"most frequent form ({share})"
    is_longest = len(equals[1].text) < len(leader.text)
    rule = "longest" if is_longest else "first of the longest"
    return f"{rule} of {len(equals)} equally frequent forms ({share} each)"


def _passed_over(forms: list[Form], naming: list[Form]) -> str:
    n_pronouns = len(forms) - len(naming)
    return (
        f", {'a pronoun' if n_pronouns == 1 else f'{n_pronouns} pronouns'} passed over" if n_pronouns else ""
    )


def _counted(n: int) -> str:
    return f"{n:,} mention{'s' if n != 1 else ''}"
