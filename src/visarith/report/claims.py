"""The paper's 37 claims: where each is made, where it lives in the code, and what our results say of it."""

from collections.abc import Callable
from dataclasses import dataclass

from visarith.report import boards_verdicts as construction
from visarith.report import insight_verdicts as insight
from visarith.report import learnable_verdict
from visarith.report import other_verdicts as other
from visarith.report import table_verdicts as table
from visarith.report.evidence import Evidence, NoResultError
from visarith.report.verdict import Verdict

LATER = "not measured yet"


@dataclass(frozen=True)
class Claim:
    """A claim in our words; `judged` weighs the evidence."""

    number: int
    text: str
    section: str
    figure: str  # the paper's own number, if it gives one
    where: str  # the file that it lives in
    judged: Callable[[Evidence], Verdict]

    def verdict(self, evidence: Evidence) -> Verdict:
        """What we measured, whether that confirms the claim, and why or why not."""
        try:
            found = self.judged(evidence)
        except NoResultError as missing:
            return Verdict(LATER, "open", f"There is no result of {missing} yet; `{missing.remedy}` makes it.")
        return (
            Verdict(found.measured, "open", "A quick run is too small to decide anything.") if evidence.quick else found
        )


CATALOGUE, OPERATIONS = "experiments/catalogue.py", "operations/builtin.py"
CLAIMS = (
    Claim(1, "Seven-digit addition is learned end to end from pictures", "3.2", "1.9 %", CATALOGUE, table.addition),
    Claim(2, "Subtraction is about as hard as addition", "3.2", "3.2 %", CATALOGUE, table.subtraction),
    Claim(3, "Squared error on pixels is the only teacher", "2.1", "", "training/computation.py", table.teacher),
    Claim(4, "A small number of units is enough", "abstract", "3 x 256", "learners/perceptron/network.py", table.units),
    Claim(5, "150,000 pairs, a tiny share of all, are enough", "2.1", "150,000", "data/task.py", table.examples),
    Claim(
        6,
        "Multiplication is learned neither on training nor on test pairs",
        "3.2",
        "71.5 %",
        CATALOGUE,
        table.product,
    ),
    Claim(7, "More hidden layers do not rescue it", "3.2", "3 to 5", "learners/config.py", table.depth),
    Claim(
        8,
        "Of a product, the last digit and the first two are right, the middle is not",
        "3.2",
        "",
        "evaluation.py",
        table.middle,
    ),
    Claim(
        9,
        "OCR often cannot read answers with several blurred digits",
        "3.2",
        "",
        "reading/tesseract.py",
        table.blurred,
    ),
    Claim(10, "Addition of Roman numerals fails end to end", "3.2", "74.3 %", "notation/roman.py", table.roman),
    Claim(11, "From one-hot vectors it is learned", "4, 5", "0.7 %", CATALOGUE, table.roman_one_hot),
    Claim(12, "It fails because 35 cells make very large pictures", "5", "", "notation/roman.py", table.cells),
    Claim(
        13,
        "One-hot addition and subtraction are as accurate as in pictures",
        "5",
        "1.7 %, 2.1 %",
        CATALOGUE,
        table.one_hot,
    ),
    Claim(
        14,
        "One-hot multiplication fails too, so arithmetic is the obstacle",
        "5",
        "37.6 %",
        CATALOGUE,
        table.product_one_hot,
    ),
    Claim(
        15,
        "Strong noise is tolerated, and answers come out clean of it",
        "3.2",
        "",
        "pictures/corruption.py",
        table.noise,
    ),
    Claim(
        16,
        "OCR misreads more of those answers than people do",
        "3.2",
        "9.8 %, 3.2 %",
        "reading/",
        table.noise_readers,
    ),
    Claim(
        17,
        "An illegible digit gives a mixture, in proportion to what it may be",
        "3.2, 5",
        "Fig. 5",
        "insight/mixtures.py",
        insight.mixtures,
    ),
    Claim(
        18,
        "Each bottom unit looks for one digit at one place",
        "5",
        "Fig. 4",
        "insight/units.py",
        insight.bottom_units,
    ),
    Claim(19, "Filters sit between digits that look alike", "6", "", "insight/filters.py", insight.filters),
    Claim(
        20,
        "The top layer holds the answer's digits, the middle maps one to the other",
        "5",
        "Fig. 4",
        "insight/probes.py",
        insight.top_layer,
    ),
    Claim(21, "Unary operations work, such as division by 2", "5", "", OPERATIONS, other.unary),
    Claim(
        22, "A fixed permutation of the pixels changes nothing", "5", "", "pictures/corruption.py", other.permutation
    ),
    Claim(
        23,
        "Displacement or a convolutional network breaks that invariance",
        "5",
        "",
        "learners/convolutional/network.py",
        other.displacement,
    ),
    Claim(
        24,
        "Sigmoid hidden units give similar results, much more slowly",
        "6",
        "",
        "learners/perceptron/network.py",
        other.sigmoid,
    ),
    Claim(25, "An LSTM would multiply better (supposed)", "5", "", "learners/recurrent/network.py", other.lstm),
    Claim(
        26,
        "Learning the symbols first, unsupervised, would help Roman addition (supposed)",
        "5",
        "",
        "learners/symbols/network.py",
        other.symbols,
    ),
    Claim(
        27,
        "20M, 20M and 10M gates add M-digit numbers from pictures",
        "6",
        "exact",
        "learners/constructed/network.py",
        construction.gates,
    ),
    Claim(
        28,
        "A gate is a steep sigmoid or two ReLUs, to any accuracy",
        "6",
        "",
        "learners/constructed/gates.py",
        construction.two_kinds,
    ),
    Claim(
        29,
        "Each answer digit is one of two candidates",
        "6",
        "",
        "learners/constructed/constructions.py",
        construction.candidates,
    ),
    Claim(
        30,
        "Training can arrive at such weights, without guarantee",
        "6",
        "",
        "insight/construction.py",
        insight.arrival,
    ),
    Claim(
        31,
        "Multiplication needs more layers and nodes than addition",
        "5",
        "",
        "learners/constructed/constructions.py",
        construction.more_layers,
    ),
    Claim(
        32,
        "The analysis helps to tell which operations are learnable",
        "7",
        "",
        "insight/learnability.py",
        learnable_verdict.helps_to_tell,
    ),
    Claim(33, "The protocol extends to more pictures in and out", "7", "", OPERATIONS, other.more_pictures),
    Claim(34, "It extends to concepts beside arithmetic, such as association", "7", "", OPERATIONS, other.association),
    Claim(
        35,
        "9,999,999 takes 35 additive Roman numerals of 14 kinds",
        "3.1",
        "35, 14",
        "notation/roman.py",
        other.numerals,
    ),
    Claim(
        36,
        "Perception alone is learnable; three parts trained apart add Roman numerals",
        "5",
        "",
        "learners/joined/network.py",
        other.perception,
    ),
    Claim(
        37,
        "Multiplication takes O(n^2) layers and O(n^4) nodes, addition O(n) and O(n^2)",
        "5",
        "",
        "learners/constructed/constructions.py",
        construction.orders,
    ),
)
