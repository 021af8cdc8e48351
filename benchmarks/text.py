"""Reading texts against counting them: files to a Corpus, and a list in memory to a matrix.

The texts are the words of KOS in random order, a document of each. Every format is read from its
file, decoded, counted and checked; the base is what scikit-learn's bare CountVectorizer takes for
the list of the same texts. "speed" is the time of the base ÷ the time of the whole read, the median
over rounds; the target is 0.9 or more for all but Parquet, which has none.
"""

from __future__ import annotations

import csv
import gzip
import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
from sklearn.feature_extraction.text import CountVectorizer

import blocklda
from benchmarks.harness import alternate, arguments, corpora, machine, median_ratio, medians, table

BASE = "CountVectorizer"
TARGET = 0.9


def texts_of(corpus: blocklda.Corpus) -> list[str]:
    """Return a text for each document: its words, each as often as it counts, in random order."""
    random = np.random.default_rng(0)
    words = np.array(corpus.vocabulary, dtype=object)
    tokens = np.repeat(corpus.word_ids, corpus.counts)
    ends = np.cumsum(corpus.doc_lengths())[:-1]
    return [" ".join(words[random.permutation(doc)]) for doc in np.split(tokens, ends)]


def write_all(folder: Path, texts: list[str]) -> dict[str, Path]:
    """Write the texts in every format."""
    lines = folder / "reviews.txt"
    lines.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    packed = folder / "reviews.txt.gz"
    packed.write_bytes(gzip.compress(lines.read_bytes()))
    rows = folder / "reviews.csv"
    with rows.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([("id", "text"), *enumerate(texts)])
    records = folder / "reviews.jsonl"
    with records.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({"id": i, "text": t}) + "\n" for i, t in enumerate(texts))
    columns = folder / "reviews.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"text": texts}), columns)
    files = folder / "reviews"
    files.mkdir()
    for i, text in enumerate(texts):
        (files / f"{i:05}.txt").write_text(text, encoding="utf-8")
    return {
        "lines": lines,
        "lines, gzip": packed,
        "csv": rows,
        "jsonl": records,
        "texts": files,
        "parquet": columns,
    }


def main() -> None:
    options = arguments(__doc__)
    name, corpus = next(iter(corpora(options.quick).items()))
    texts = texts_of(corpus)
    vectorizer = CountVectorizer(stop_words="english")
    expected = vectorizer.fit_transform(texts)
    with tempfile.TemporaryDirectory() as folder:
        paths = write_all(Path(folder), texts)
        contenders: dict[str, Callable[[], object]] = {
            BASE: partial(vectorizer.fit_transform, texts)
        }
        for contender, path in paths.items():
            read = partial(blocklda.read_corpus, path)
            if (read().to_matrix() != expected).nnz:
                raise SystemExit(f"{contender}: the counts are not CountVectorizer's")
            contenders[contender] = read
        seconds = alternate(contenders, 2 if options.quick else options.repeat)
    print(f"\n{name}, {corpus.n_docs} texts, {corpus.n_tokens} tokens; {machine()}\n")
    typical = medians(seconds)
    speeds = {one: median_ratio(seconds[BASE], times) for one, times in seconds.items()}
    rows = [[one, f"{typical[one]:.3f}", f"{speed:.2f}"] for one, speed in speeds.items()]
    print(table(["read", "seconds", "speed"], rows))
    if options.quick:  # a few milliseconds say nothing
        return
    slow = [one for one, speed in speeds.items() if speed < TARGET and one != "parquet"]
    print(f"\ntarget {TARGET}: {'missed by ' + ', '.join(slow) if slow else 'met by all'}")


if __name__ == "__main__":
    main()
