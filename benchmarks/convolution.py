"""From which block size on FFT convolution is faster: nested simulation of one large block."""

from __future__ import annotations

import numpy as np

import blocklda
from benchmarks.harness import alternate, arguments, machine, medians, table
from blocklda.models.lda.samplers.convolution import FFT_PAYS_FROM


def one_block(size: int) -> blocklda.Corpus:
    """Return a corpus whose only repeated word occurs ``size`` times in one document."""
    counts = np.ones((3, 400), dtype=np.int64)
    counts[0, 0] = size
    return blocklda.Corpus.from_matrix(counts)


def main() -> None:
    options = arguments(__doc__)
    sizes = [20] if options.quick else [100, 200, 400, 800, 1200, 1600, 2400, 4000]
    rounds = 2 if options.quick else options.repeat
    print(f"\nms per sweep, {machine()}; auto switches at {FFT_PAYS_FROM} tokens\n")
    rows = []
    for n_topics in [8] if options.quick else [10, 40, 200]:
        for size in sizes:
            chains = {
                way: blocklda.Chain(one_block(size), n_topics, seed=1, convolution=way)
                for way in ("direct", "fft")
            }
            seconds = alternate({way: chain.sweep for way, chain in chains.items()}, rounds)
            median = medians(seconds)
            rows.append(
                [
                    f"K={n_topics}, C={size}",
                    f"{median['direct'] * 1e3:.2f}",
                    f"{median['fft'] * 1e3:.2f}",
                    f"{median['fft'] / median['direct']:.2f}",
                ]
            )
    print(table(["block", "direct", "fft", "fft ÷ direct"], rows))


if __name__ == "__main__":
    main()
