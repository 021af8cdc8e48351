"""The errors blocklda raises: one base class, one sentence each."""

from __future__ import annotations

__all__ = [
    "BlockldaError",
    "CapacityError",
    "ClusterError",
    "FileFormatError",
    "InputError",
    "InputTypeError",
    "KernelError",
]


class BlockldaError(Exception):
    """Base class of every error that blocklda raises itself."""


class InputError(BlockldaError, ValueError):
    """A parameter or a data set that cannot be used; the message says what to do."""


class InputTypeError(InputError, TypeError):
    """Data of a kind that cannot be used, where Python's own error would be a TypeError."""


class FileFormatError(InputError):
    """A file that is not what it should be; the message names the file and the line."""


class CapacityError(BlockldaError, MemoryError):
    """A task larger than this machine, or than the counters, can hold."""


class ClusterError(BlockldaError, RuntimeError):
    """The machines that a fit runs on went away; the message says how to go on."""


class KernelError(BlockldaError, RuntimeError):
    """A sampler reached a state that its mathematics excludes; nothing was drawn from it."""
