"""A fit that kills its own process after a while: `python -m tests.faults.killed_fit`.

Arguments: name of the fit, folder of the checkpoint, seconds until SIGKILL (0: never), file for the
results.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import numpy as np

from tests.faults.fits import COUNTS, make, results


def main() -> None:
    name, folder, seconds, out = sys.argv[1:]
    lda = make(name, n_sweeps=160)
    if float(seconds):
        killer = threading.Timer(float(seconds), os.kill, (os.getpid(), signal.SIGKILL))
        killer.daemon = True
        killer.start()
    # A checkpoint every two sweeps: most kills hit while one is being written.
    lda.fit(COUNTS, checkpoint=folder, every=2)
    if float(seconds):
        os.kill(os.getpid(), signal.SIGKILL)
    np.savez(Path(out), **results(lda))


if __name__ == "__main__":
    main()
