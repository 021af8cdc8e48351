"""Bytes and lines: files opened, unpacked, decoded, and written whole or not at all."""
