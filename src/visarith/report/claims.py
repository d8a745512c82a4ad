"""The paper's 37 claims: where each is made, where it lives in the code, and which function decides it.

Each function weighs stored results by a fixed rule; it stands in the module of its topic.
"""

from collections.abc import Callable
from dataclasses import dataclass

from visarith.report import construction, illegible, layers, learnability, table_1, variations
from visarith.report.evidence import Evidence, NoResultError
from visarith.report.parts import Table, Verdict

Rule = Callable[[Evidence], Verdict]


@dataclass(frozen=True)
class Claim:
    """A claim in our words, and the rule that decides it."""

    number: int
    text: str
    section: str
    figure: str  # the paper's own number, if it gives one
    rule: Rule
    where: str  # the file that it is about

    def verdict(self, evidence: Evidence) -> Verdict:
        """What we measured, whether that confirms the claim, and why or why not."""
        try:
            found = self.rule(evidence)
        except NoResultError as missing:
            why = f"There is no result of {missing.what} yet; `{missing.remedy}` makes it."
            return Verdict("not measured yet", "open", why)
        if evidence.quick:
            return Verdict(found.measured, "open", "A quick run is too small to decide anything.")
        return found


CATALOGUE, OPERATIONS = "studies/catalogue.py", "operations/builtin.py"
ROMAN, CORRUPTION = "notation/roman.py", "pictures/corruption.py"
PERCEPTRON, CONSTRUCTIONS = "learners/perceptron.py", "learners/constructed/constructions.py"
CIRCUIT, CONSTRUCTED = "learners/constructed/circuit.py", "learners/constructed/network.py"
CONVOLUTIONAL, RECURRENT = "learners/convolutional.py", "learners/recurrent.py"
SYMBOLS = "learners/symbols.py"  # with the joined learner
UNITS, PROBES = "studies/insight/layers.py", "studies/insight/probes.py"
FILTERS, MIXTURES = "studies/insight/filters.py", "studies/insight/mixtures.py"
LEARNABILITY = "studies/learnability/__init__.py"
_CLAIMS: dict[int, tuple[str, str, str, Rule, str]] = {
    1: ("Seven-digit addition is learned end to end from pictures", "3.2", "1.9 %", table_1.addition, CATALOGUE),
    2: ("Subtraction is about as hard as addition", "3.2", "3.2 %", table_1.subtraction, CATALOGUE),
    3: ("Squared error on pixels is the only teacher", "2.1", "", table_1.teacher, "training/computation.py"),
    4: ("A small number of units is enough", "abstract", "3 x 256", table_1.units, PERCEPTRON),
    5: ("150,000 pairs, a tiny share of all, are enough", "2.1", "150,000", table_1.examples, "data/task.py"),
    6: ("Multiplication is learned neither on training nor on test pairs", "3.2", "71.5 %", table_1.product, CATALOGUE),
    7: ("More hidden layers do not rescue it", "3.2", "3 to 5", table_1.depth, "learners/config.py"),
    8: (
        "Of a product, the last digit and the first two are right, the middle is not",
        "3.2",
        "",
        table_1.middle,
        "evaluation.py",
    ),
    9: ("OCR often cannot read answers with several blurred digits", "3.2", "", table_1.blurred, "reading/readers.py"),
    10: ("Addition of Roman numerals fails end to end", "3.2", "74.3 %", table_1.roman, ROMAN),
    11: ("From one-hot vectors it is learned", "4, 5", "0.7 %", table_1.roman_one_hot, CATALOGUE),
    12: ("It fails because 35 cells make very large pictures", "5", "", table_1.cells, ROMAN),
    13: (
        "One-hot addition and subtraction are as accurate as in pictures",
        "5",
        "1.7 %, 2.1 %",
        table_1.one_hot,
        CATALOGUE,
    ),
    14: (
        "One-hot multiplication fails too, so arithmetic is the obstacle",
        "5",
        "37.6 %",
        table_1.product_one_hot,
        CATALOGUE,
    ),
    15: ("Strong noise is tolerated, and answers come out clean of it", "3.2", "", table_1.noise, CORRUPTION),
    16: ("OCR misreads more of those answers than people do", "3.2", "9.8 %, 3.2 %", table_1.noise_readers, "reading/"),
    17: (
        "An illegible digit gives a mixture, in proportion to what it may be",
        "3.2, 5",
        "Fig. 5",
        illegible.mixed_answers,
        MIXTURES,
    ),
    18: ("Each bottom unit looks for one digit at one place", "5", "Fig. 4", layers.bottom_units, UNITS),
    19: ("Filters sit between digits that look alike", "6", "", layers.similar_digits, FILTERS),
    20: (
        "The top layer holds the answer's digits, the middle maps one to the other",
        "5",
        "Fig. 4",
        layers.top_layer,
        PROBES,
    ),
    21: ("Unary operations work, such as division by 2", "5", "", variations.unary, OPERATIONS),
    22: ("A fixed permutation of the pixels changes nothing", "5", "", variations.permutation, CORRUPTION),
    23: (
        "Displacement or a convolutional network breaks that invariance",
        "5",
        "",
        variations.displacement,
        CONVOLUTIONAL,
    ),
    24: ("Sigmoid hidden units give similar results, much more slowly", "6", "", variations.sigmoid, PERCEPTRON),
    25: ("An LSTM would multiply better (supposed)", "5", "", variations.lstm, RECURRENT),
    26: (
        "Learning the symbols first, unsupervised, would help Roman addition (supposed)",
        "5",
        "",
        variations.symbols,
        SYMBOLS,
    ),
    27: ("20M, 20M and 10M gates add M-digit numbers from pictures", "6", "exact", construction.gates, CONSTRUCTED),
    28: ("A gate is a steep sigmoid or two ReLUs, to any accuracy", "6", "", construction.two_kinds, CIRCUIT),
    29: ("Each answer digit is one of two candidates", "6", "", construction.candidates, CONSTRUCTIONS),
    30: ("Training can arrive at such weights, without guarantee", "6", "", layers.arrival, PROBES),
    31: ("Multiplication needs more layers and nodes than addition", "5", "", construction.more_layers, CONSTRUCTIONS),
    32: (
        "The analysis helps to tell which operations are learnable",
        "7",
        "",
        learnability.helps_to_tell,
        LEARNABILITY,
    ),
    33: ("The protocol extends to more pictures in and out", "7", "", variations.more_pictures, OPERATIONS),
    34: ("It extends to concepts beside arithmetic, such as association", "7", "", variations.association, OPERATIONS),
    35: ("9,999,999 takes 35 additive Roman numerals of 14 kinds", "3.1", "35, 14", variations.numerals, ROMAN),
    36: (
        "Perception alone is learnable; three parts trained apart add Roman numerals",
        "5",
        "",
        variations.perception,
        SYMBOLS,
    ),
    37: (
        "Multiplication takes O(n^2) layers and O(n^4) nodes, addition O(n) and O(n^2)",
        "5",
        "",
        construction.orders,
        CONSTRUCTIONS,
    ),
}
CLAIMS = tuple(Claim(number, *each) for number, each in _CLAIMS.items())


def claims(evidence: Evidence) -> Table:
    """Every claim of the paper, what we measured, and the verdict."""
    rows = []
    for claim in CLAIMS:
        verdict = claim.verdict(evidence)
        what = claim.text + (f" ({claim.figure})" if claim.figure else "")
        where = f"`{claim.where}`"
        rows.append([str(claim.number), what, claim.section, where, verdict.measured, verdict.word, verdict.why])
    head = ["#", "claim (the paper's figure)", "section", "where", "what we measured", "verdict", "why"]
    return Table("The paper's claims", "", head, rows)
