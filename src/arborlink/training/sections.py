"""Settings in sections: what every file of settings is made of."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict


def _encodable(text: str) -> str:
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("text that UTF-8 can write")
    return text


Text = Annotated[str, AfterValidator(_encodable)]


class Section(BaseModel):
    """Settings that belong together."""

    # Strict: the string "3" is no number and 1 is not true; a whole number may stand for a float.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Sections(Section):
    """Settings in sections, those of one command."""

    command: ClassVar[str]
