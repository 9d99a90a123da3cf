"""Bytes to documents and back.

Reads a file into `Document`s, finds the bytes behind a JSON pointer, and writes edits back so that only the
bytes that must change do.  Knows JSON, JSONL and YAML, and nothing about conversations, rules or reports.
"""
