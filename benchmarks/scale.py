"""Sweeps over a corpus of NYTimes's shape and size: speed, memory, and how both grow.

The corpus is drawn from an LDA (benchmarks/newswire.py). Chains on it start from the topics that
its tokens were drawn from, unless --start says otherwise: a state that a chain would come to, at no
cost. NIPS takes turns with it, from a variational start.
"""

from __future__ import annotations

import argparse
import statistics
import time

import blocklda
from benchmarks import memory, newswire
from benchmarks.harness import alternate, corpora, machine, median_ratio, medians, table

ALPHA, BETA = 0.1, 0.01
N_DOCS = 300_000
PARTS_OF_CORPUS = (16, 8, 4, 2)
WARM_UP = 10
GB = 1e9


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--quick", action="store_true", help="toy sizes, to see that it runs")
    add("--documents", type=int, default=N_DOCS, help=f"documents to draw (default: {N_DOCS})")
    add("--topics", type=int, default=200, help="K on the large corpus (default: 200)")
    add("--sampler", default="sparse", choices=blocklda.SAMPLERS, help="default: sparse")
    add("--start", default="true", choices=("true", "variational", "random"))
    add("--repeat", type=int, default=3, help="timed rounds (default: 3)")
    options = parser.parse_args()
    if options.quick:
        options.documents, options.topics, options.repeat = 64, 8, 2
    if options.start == "true" and options.topics < newswire.N_TOPICS and not options.quick:
        parser.error(f"the corpus has {newswire.N_TOPICS} topics: --start true needs as many")
    return options


class Large:
    """The drawn corpus, and what memory it and a chain on it take."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        memory.reset_peak()
        start = time.perf_counter()
        n_words = 500 if options.quick else newswire.N_WORDS
        self.drawn = newswire.draw(options.documents, n_words=n_words)
        seconds = time.perf_counter() - start
        corpus = self.drawn.corpus
        self.peak_of_drawing = memory.peak()
        arrays = (corpus.doc_offsets, corpus.word_ids, corpus.counts)
        self.corpus_bytes = sum(array.nbytes for array in arrays)
        print(
            f"\ndrawn in {seconds:.0f} s: {corpus.n_docs:,} documents, {corpus.n_words:,} words, "
            f"{corpus.n_entries:,} entries, {corpus.n_tokens:,} tokens "
            f"({corpus.n_tokens / corpus.n_docs:.0f} tokens and "
            f"{corpus.n_entries / corpus.n_docs:.0f} entries a document); "
            f"most memory while drawing {self.peak_of_drawing / GB:.2f} GB",
            flush=True,
        )

    def chain(self, drawn: newswire.Drawn) -> blocklda.Chain:
        start = self.options.start
        return blocklda.Chain(
            drawn.corpus,
            self.options.topics,
            ALPHA,
            BETA,
            sampler=self.options.sampler,
            init=drawn.topics % self.options.topics if start == "true" else start,
            seed=1,
        )

    def sweep(self, nips: blocklda.Chain) -> float:
        """Time sweeps in turn with NIPS, print speed and memory; return seconds per sweep."""
        corpus = self.drawn.corpus
        before = memory.resident()
        memory.reset_peak()
        start = time.perf_counter()
        chain = self.chain(self.drawn)
        print(f"start {self.options.start!r} in {time.perf_counter() - start:.1f} s", flush=True)
        chain.sweep()
        contenders = {"large": chain.sweep, "NIPS": lambda: nips.sweep(5)}
        seconds = alternate(contenders, self.options.repeat)
        per_sweep = medians(seconds)["large"]
        peak = memory.peak()
        beyond = peak - before
        # entries/s ÷ entries/s = (time of NIPS ÷ time here) × (entries here ÷ entries of NIPS)
        share = median_ratio(seconds["NIPS"], seconds["large"]) * (
            corpus.n_entries / (5 * nips.corpus.n_entries)
        )
        rows = [
            ["seconds per sweep", f"{per_sweep:.3f}", ""],
            ["M tokens/s", f"{corpus.n_tokens / per_sweep / 1e6:.2f}", ""],
            ["M entries/s", f"{corpus.n_entries / per_sweep / 1e6:.2f}", ""],
            ["entries/s ÷ NIPS's", f"{share:.2f}", "≥ 0.5"],
            ["peak memory, GB", f"{max(peak, self.peak_of_drawing) / GB:.2f}", "≤ 6"],
            ["the corpus, GB", f"{self.corpus_bytes / GB:.2f}", ""],
            ["before the chain, GB", f"{before / GB:.2f}", ""],
            ["the chain at its peak, GB", f"{beyond / GB:.2f}", ""],
            ["bytes a token, the chain at its peak", f"{beyond / corpus.n_tokens:.1f}", ""],
        ]
        print(table([f"K={self.options.topics}, {self.options.sampler}", "", "target"], rows))
        return per_sweep

    def growth(self, full: float) -> None:
        """Print the cost per sweep against the number of tokens."""
        rows = []
        corpus = self.drawn.corpus
        for share in PARTS_OF_CORPUS:
            part = newswire.first_documents(self.drawn, max(1, corpus.n_docs // share))
            chain = self.chain(part)
            chain.sweep()
            seconds = medians(alternate({"": chain.sweep}, self.options.repeat))[""]
            rows.append(_growth_row(f"1/{share}", part.corpus.n_tokens, seconds))
        rows.append(_growth_row("1", corpus.n_tokens, full))
        header = ["documents", "tokens", "seconds per sweep", "ns a token"]
        print(f"\n{table(header, rows)}", flush=True)


def _growth_row(share: str, n_tokens: int, seconds: float) -> list[str]:
    return [share, f"{n_tokens:,}", f"{seconds:.3f}", f"{seconds / n_tokens * 1e9:.1f}"]


def nips_chain(corpus: blocklda.Corpus, n_topics: int, sampler: str) -> blocklda.Chain:
    chain = blocklda.Chain(
        corpus, n_topics, ALPHA, BETA, sampler=sampler, init="variational", seed=1
    )
    chain.sweep(WARM_UP)
    return chain


def growth_in_topics(name: str, corpus: blocklda.Corpus, options: argparse.Namespace) -> None:
    """Print the cost per sweep against K; the sizes take turns."""
    sizes = [4, 8] if options.quick else [100, 200, 500, 1000]
    chains = {K: nips_chain(corpus, K, options.sampler) for K in sizes}
    contenders = {str(K): (lambda c=chain: c.sweep(3)) for K, chain in chains.items()}
    seconds = alternate(contenders, 2 * options.repeat + 1)
    base = seconds[str(sizes[0])]
    rows = [
        [
            str(K),
            f"{statistics.median(seconds[str(K)]) / 3:.4f}",
            f"{median_ratio(seconds[str(K)], base):.2f}",
            "< 4" if K == 1000 else "",
        ]
        for K in sizes
    ]
    print(f"\n{name}, {options.sampler}, {WARM_UP} sweeps after a variational start\n")
    print(table(["K", "seconds per sweep", f"÷ K={sizes[0]}", "target"], rows), flush=True)


def main() -> None:
    options = arguments()
    print(machine())
    name, corpus = list(corpora(options.quick).items())[-1]
    nips = nips_chain(corpus, options.topics, options.sampler)
    large = Large(options)  # first, so that its memory is not some that others gave back
    large.growth(large.sweep(nips))
    growth_in_topics(name, corpus, options)


if __name__ == "__main__":
    main()
