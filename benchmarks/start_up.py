"""How long it takes to start: CPU time of imports and of `blocklda --help`.

Each runs in a process of its own, from bytecode that an earlier run has written, and the least of
several runs counts. `from blocklda import LDA` cannot take less than `import sklearn.base`, which
an estimator is built on, so it is also given as a multiple of that.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys

from benchmarks.harness import machine, table

COMMAND = "import sys; sys.argv[1:] = [{!r}]; from blocklda.cli import main; main()"
COMPARED_WITH = "import sklearn.base"
PROGRAMS = {
    "python alone": "",
    "import numpy": "import numpy",
    COMPARED_WITH: COMPARED_WITH,
    "import blocklda": "import blocklda",
    "from blocklda import Chain": "from blocklda import Chain",
    "from blocklda import LDA": "from blocklda import LDA",
    "blocklda --version": COMMAND.format("--version"),
    "blocklda --help": COMMAND.format("--help"),
}


def cpu_seconds(program: str) -> float:
    """Return the CPU time of a program, with the interpreter's own."""

    def used() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    # Modules must not be compiled each time, and NumPy's library would start threads.
    settings = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
    before = used()
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, env=settings)
    return used() - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="once each, to see that it runs")
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(1 if options.quick else 1 + options.repeat):
        for name, program in PROGRAMS.items():
            times[name].append(cpu_seconds(program))
    # The first run may have to write bytecode.
    seconds = {name: min(values) for name, values in times.items()}
    alone = seconds["python alone"]
    print(machine(), end="\n\n")
    rows = [
        [name, f"{s:.2f}", f"{s - alone:.2f}", f"{s / seconds[COMPARED_WITH]:.2f}"]
        for name, s in seconds.items()
    ]
    print(table(["program", "CPU s", "without the interpreter", f"of {COMPARED_WITH}"], rows))


if __name__ == "__main__":
    main()
