"""ragchunk: see and measure how documents are cut into chunks for retrieval."""

from ragchunk.chunks import Chunk, build_corpus, chunk, chunk_text
from ragchunk.documents import Document, ReadOptions, load_documents
from ragchunk.embedding import Encoder, load_encoder
from ragchunk.errors import LoadError, ModelError, RagchunkError, SettingsError
from ragchunk.search import Hit, top_hits
from ragchunk.spans import Span
from ragchunk.strategies import STRATEGIES

__all__ = [
    "STRATEGIES",
    "Chunk",
    "Document",
    "Encoder",
    "Hit",
    "LoadError",
    "ModelError",
    "RagchunkError",
    "ReadOptions",
    "SettingsError",
    "Span",
    "build_corpus",
    "chunk",
    "chunk_text",
    "load_documents",
    "load_encoder",
    "top_hits",
]
