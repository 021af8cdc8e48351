"""Loaded by the workers of a local cluster: Ctrl-C in a terminal is for the client.

It ends a fit after the current sweep, which needs the workers.
"""

from __future__ import annotations

import signal
import threading

__all__: list[str] = []

if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
