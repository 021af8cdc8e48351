"""Test whether samplers are exact: enumeration, invariance, Geweke's test, calibration.

:func:`check` runs everything on a sampler, one of blocklda's or your own. Its parts can be used by
themselves. See docs/explanation/exactness.md.
"""

from __future__ import annotations

from blocklda.testing.base import Enumerated, Joint, OneByOne, Subject
from blocklda.testing.check import Report, Row, check
from blocklda.testing.hdp_problem import HDPProblem
from blocklda.testing.invariance import long_chain, one_step
from blocklda.testing.joint import Ranks, geweke, ranks_of_truths
from blocklda.testing.lda_joint import LDAJoint
from blocklda.testing.lda_problem import LDAProblem
from blocklda.testing.mixture_problem import MixtureProblem
from blocklda.testing.subjects import find_subjects, subject_of
from blocklda.testing.urns import HDPJoint, MixtureJoint
from blocklda.testing.verdict import ACCEPT, REJECT, Verdict

__all__ = [
    "ACCEPT",
    "REJECT",
    "Enumerated",
    "HDPJoint",
    "HDPProblem",
    "Joint",
    "LDAJoint",
    "LDAProblem",
    "MixtureJoint",
    "MixtureProblem",
    "OneByOne",
    "Ranks",
    "Report",
    "Row",
    "Subject",
    "Verdict",
    "check",
    "find_subjects",
    "geweke",
    "long_chain",
    "one_step",
    "ranks_of_truths",
    "subject_of",
]
