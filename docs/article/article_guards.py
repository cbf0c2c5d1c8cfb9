"""What the article may say: a small number as a word, and a sentence only if it is true."""

from __future__ import annotations

import re

import pandas as pd

WORDS: list[str] = re.findall(r"\w+", "no one two three four five six seven eight nine ten eleven")
Frames = dict[str, pd.DataFrame]  # the tables, by their names
Told = dict[str, str]  # the numbers in the text, by their names


def only_if(true: object, sentence: str) -> None:
    """Refuse to say a sentence that the tables do not bear out: then there is no article."""
    if not bool(true):
        raise ValueError(f"the tables do not bear out what the article says: {sentence}")


def word(number: float) -> str:
    """A small number in letters."""
    return WORDS[int(number)]
