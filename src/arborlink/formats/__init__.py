"""Readers and writers, one module per format; see docs/formats.md for what each keeps and loses."""

from arborlink.formats.detect import DOCUMENT_FORMATS, ENTITY_FORMATS, detect_format
from arborlink.formats.problems import Problems
from arborlink.formats.reading_writing import read_documents, read_entities, write_documents, write_entities
from arborlink.formats.umls import read_umls

__all__ = [
    "DOCUMENT_FORMATS",
    "ENTITY_FORMATS",
    "Problems",
    "detect_format",
    "read_documents",
    "read_entities",
    "read_umls",
    "write_documents",
    "write_entities",
]
