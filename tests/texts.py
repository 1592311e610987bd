"""The nasty alphabet of the contract, and texts made from it."""

from hypothesis import strategies as st

ALPHABET = [
    *"abcXYZ",
    *".!?",
    *"\n\r\t ",
    *"\"'([)]",
    "é",
    "é",
    "👨‍👩‍👧",
    "👍🏽",
    "🇩🇪",
    "‍",
    " ",
    "​",
    "。",
    "ก",
    "ำ",
    "กำ",
    "นี่",
    "क्षि",
    "\u00a0\u0301",
    "\u3000",
    "\u0301",
    "한",
    "\0",
    "﻿",
    "\r\n",
    "\n\n",
    "\r\n\r\n",
    "\n \t\n",
    "word ",
    "A sentence. ",
]

nasty_texts = st.lists(st.sampled_from(ALPHABET), max_size=60).map("".join)
any_texts = st.one_of(nasty_texts, st.text(max_size=80))
