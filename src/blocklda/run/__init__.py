"""One fit: plan, chains in threads, the loop above them."""

from __future__ import annotations
