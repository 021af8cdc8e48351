"""Other programs' assignments arrive at the tokens they belong to."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import blocklda
from benchmarks.contenders import PEERS, LdaPackage, Task, Tomotopy
from benchmarks.external import Mallet, Program, WarpLda

MATRIX = blocklda.simulate.bars(n_docs=40, doc_length=30, seed=2).corpus.to_matrix().toarray()
MATRIX[5] = 0  # no program is given empty documents
TRAIN, TEST = blocklda.split_tokens(blocklda.Corpus.from_matrix(MATRIX), range(30, 40), seed=0)
TASK = Task("bars", TRAIN, TEST, 6, seed=0)

# Stand-ins that give word w7 the topic 7 mod K, so that the right order can be told from others.
MALLET = """
import gzip, sys
options = dict(zip(sys.argv[2::2], sys.argv[3::2]))
if sys.argv[1] == "train-topics":
    with gzip.open(options["--output-state"], "wt") as file:
        file.write("#doc source pos typeindex type topic\\n#alpha : 0.1\\n#beta : 0.01\\n")
        for d, line in enumerate(open("documents.txt")):
            for i, word in enumerate(line.split()[2:]):
                file.write(f"{d} NA {i} 0 {word} {int(word[1:]) % int(options['--num-topics'])}\\n")
"""
FORMAT = """
words = {word for line in open("documents.txt") for word in line.split()[2:]}
open("documents.vocab", "w").write("\\n".join(sorted(words, reverse=True)))
"""
WARPLDA = """
import sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
names = open("documents.vocab").read().split()
with open("documents.z.estimate", "w") as file:
    for line in open("documents.txt"):
        ids = sorted(map(names.index, line.split()[2:]))
        pairs = [f"{i}:{int(names[i][1:]) % int(options['--k'])}" for i in ids]
        print(len(pairs), *pairs, file=file)
for i in range(int(options["--niter"])):
    print(f"Iteration {i}, 0.250000 s, 5.00 Mtokens/s, log_likelihood (per token) -8.0")
"""


def script(path: Path, code: str) -> Path:
    path.write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("name", PEERS)
def test_every_peer_can_be_swept_and_judged(name: str) -> None:
    peer = PEERS[name](TASK)
    before = peer.judge()[0]
    peer.catch_up(np.inf, max_sweeps=10)
    assert peer.sweeps == 10
    assert peer.points[-1].perplexity < before


def test_tomotopy_counts_what_its_assignments_say() -> None:
    peer = Tomotopy(TASK)
    peer.sweep(5)
    topics = peer.assignments()
    assert np.array_equal(np.bincount(topics, minlength=6), peer.model.get_count_by_topics())
    counts = TASK.draw(topics, 5).topic_word_counts()
    names = [int(word[1:]) for word in peer.model.used_vocabs]
    theirs = np.array([peer.model.get_topic_word_dist(k, normalize=False) for k in range(6)])
    np.testing.assert_allclose(theirs, counts[:, names] + 0.01, rtol=1e-5)


def test_lda_counts_what_its_assignments_say() -> None:
    peer = LdaPackage(TASK)
    peer.sweep(5)
    draw = TASK.draw(peer.assignments(), 5)
    assert np.array_equal(draw.topic_word_counts(), peer.model.nzw_)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are scripts with a first line")
@pytest.mark.parametrize("program", [Mallet, WarpLda])
def test_states_of_programs_are_read_in_order(program: type[Program], tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    script(tmp_path / "format", FORMAT)
    path = script(tmp_path / "program", MALLET if program is Mallet else WARPLDA)
    run = program(path, TASK, folder)
    seconds = run.run(4)
    assert np.array_equal(run.assignments(), np.repeat(TRAIN.word_ids, TRAIN.counts) % 6)
    if program is WarpLda:
        assert seconds == 1.0
