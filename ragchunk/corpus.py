"""The documents that are open, with one key for all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ragchunk.documents import Document
from ragchunk.tokens import DEFAULT_MODEL, token_starts


@dataclass(frozen=True)
class Corpus:
    """Documents with distinct sources. Compare and remember corpora by `key`, not by content."""

    documents: tuple[Document, ...]

    @cached_property
    def key(self) -> str:
        """A hash of all names and texts: what is cut from equal keys is equal."""
        digest = hashlib.blake2b(digest_size=16)
        for source, text in self.documents:
            for part in (source, text):
                data = part.encode("utf-8", "surrogatepass")
                digest.update(len(data).to_bytes(8, "big") + data)
        return digest.hexdigest()

    @cached_property
    def texts(self) -> dict[str, str]:
        """Text by source."""
        return {document.source: document.text for document in self.documents}

    @cached_property
    def by_source(self) -> dict[str, Document]:
        return {document.source: document for document in self.documents}

    def tokens(self, sources: Iterable[str], model: str = DEFAULT_MODEL) -> int:
        """How many tokens these documents have as a whole."""
        return sum(len(token_starts(self.texts[source], model)) for source in sources)
