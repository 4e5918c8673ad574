"""The tables of ``workspace.sqlite``."""

from __future__ import annotations

# "ArbL": by it a database is known as a workspace's, whatever it is called.
APPLICATION_ID = 0x4172624C
FORMAT_VERSION = 1

TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (number INTEGER PRIMARY KEY, version INTEGER NOT NULL, record TEXT NOT NULL);
CREATE TABLE entities (
    number INTEGER PRIMARY KEY, version INTEGER NOT NULL, is_active INTEGER NOT NULL, record TEXT NOT NULL
);
CREATE TABLE files (
    name TEXT PRIMARY KEY, role TEXT NOT NULL, bytes INTEGER NOT NULL, digest TEXT NOT NULL
);
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY, version INTEGER NOT NULL, time TEXT NOT NULL, author TEXT,
    decision TEXT NOT NULL, effects TEXT NOT NULL,
    undone_version INTEGER, undone_time TEXT, undone_by TEXT
);
CREATE TABLE discoveries (id TEXT PRIMARY KEY, version INTEGER NOT NULL, is_live INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE history (
    sequence INTEGER PRIMARY KEY, discovery TEXT NOT NULL, version INTEGER NOT NULL, time TEXT NOT NULL,
    kind TEXT NOT NULL, detail TEXT NOT NULL
);
CREATE INDEX history_of_a_discovery ON history (discovery, sequence);
CREATE INDEX history_of_a_version ON history (version);
CREATE TABLE log (version INTEGER PRIMARY KEY, time TEXT NOT NULL, command TEXT NOT NULL, summary TEXT NOT NULL);
"""
