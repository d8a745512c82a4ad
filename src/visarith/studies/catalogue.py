"""The catalogue: one frozen entry for each cell of the paper's Table 1 and for each claim that a run can decide.

A new experiment is a new `Entry` here; nothing else has to change.
"""

from dataclasses import dataclass, field, replace

from visarith.data.task import Medium, Task
from visarith.learners import learner_config as learner
from visarith.learners.config import LearnerConfig
from visarith.pictures.typeface import Typeface
from visarith.runs.experiment import Experiment
from visarith.runs.paper import paper_digit_error
from visarith.training.recipe import ADAM, COLUMNS, ENTROPY, PAPER, SLOW, Recipe

GROUPS = {
    "table-1": "Table 1, with the paper's recipe",
    "noisy": "Noisy addition, with the paper's recipe",
    "better": "The same networks with a better recipe",
    "variations": "Variations: other ink, and what else Sec. 5 and 6 report",
    "beyond": "Other pictures and concepts (Sec. 7), and what Sec. 5 leaves to later work",
    "perception": "Perception alone, and the three parts joined",
    "how-much": "How much is enough: units, examples, layers, cells",
    "columns": "What the paper could not learn: the column learner and the tally",
}

SIZE, TEST_PAIRS, TESSERACT = 150_000, 30_000, 2_000
QUICK_SIZE, QUICK_TEST_PAIRS, QUICK_TESSERACT, QUICK_EPOCHS = 2_000, 400, 20, 2


def quickly(recipe: Recipe) -> Recipe:
    """The recipe for a quick size: a few passes, and no second attempt."""
    return replace(recipe, epochs=min(recipe.epochs, QUICK_EPOCHS), least_steps=0, attempts=1)


@dataclass(frozen=True)
class Entry:
    """One experiment; `cost` is its time in seconds on one core of the machine in docs/log.md."""

    name: str
    group: str
    title: str
    task: Task
    cost: float
    recipe: Recipe = PAPER
    learner: LearnerConfig = field(default_factory=learner)
    examples: int = SIZE
    parts: tuple[str, ...] = field(default=())  # entries whose networks are joined, instead of training one

    @property
    def paper(self) -> float | None:
        """The paper's share of wrong digits, where the entry is a cell of its table or noisy addition."""
        return paper_digit_error(self.task.to_json()) if self.group in ("table-1", "noisy", "better") else None

    def experiment(self, seed: int, *, quick: bool = False, threads: int = 1) -> Experiment:
        """The experiment for a seed, at full size or at a quick size that proves nothing."""
        recipe = quickly(self.recipe) if quick else self.recipe
        return Experiment(
            self.task,
            self.learner,
            recipe,
            seed,
            min(self.examples, QUICK_SIZE) if quick else self.examples,
            QUICK_TEST_PAIRS if quick else TEST_PAIRS,
            threads,
        ).resolved()

    def tesseract(self, *, quick: bool = False) -> int:
        """How many answers Tesseract reads."""
        if self.task.answer_medium != "pictures":
            return 0
        return QUICK_TESSERACT if quick else TESSERACT


BIT = Typeface(ink="bit")
ADD, MULTIPLY, ROMAN = Task("add"), Task("multiply"), Task("add", notation="roman")
ADD_1, SUBTRACT_1, MULTIPLY_1, ROMAN_1 = (
    Task(operation, notation=notation, medium="one-hot")
    for operation, notation in (("add", "arabic"), ("subtract", "arabic"), ("multiply", "arabic"), ("add", "roman"))
)
AUTHORS = Task("add", padded=False, typeface=BIT)
BY_COLUMNS = learner("columns")
NOISY, NOISY_BIT = Task("add", noise=0.3), Task("add", noise=0.3, typeface=BIT)
BRIEF, LONG = replace(PAPER, epochs=10), replace(PAPER, epochs=150)
HALF_ADAM, HALF_ENTROPY = replace(ADAM, epochs=25), replace(ENTROPY, epochs=25)
RELEASED = replace(  # what the code says that the authors released
    ADAM,
    rate=1e-3,
    schedule="constant",
    batch=100,
    epochs=250,
    loss_scale=1.0,
    loss_per="output",
    initialisation="xavier",
    output_initialisation="xavier",
    alike=False,
)
SHORT, SHORTER = replace(ADAM, epochs=10), replace(ADAM, epochs=5)  # for runs that are compared with each other only
SIGMOID, CONVOLUTIONAL = learner(activation="sigmoid"), learner("convolutional")
PERMUTED, MOVED = Task("add", permutation=True), Task("add", digits=3, displacement=1)
MOVED_PERMUTED, PERMUTED_MOVED = (
    Task("add", digits=3, displacement=1, permutation=True, permuted_first=first) for first in (False, True)
)


def _perception(
    name: str, title: str, notation: str, inputs: Medium, answers: Medium, cost: float, epochs: int = 10
) -> Entry:
    task = Task("copy", notation=notation, medium=inputs, answer_medium=answers)
    return Entry(name, "perception", title, task, cost, replace(ENTROPY, epochs=epochs))


def _columns(name: str, title: str, task: Task, cost: float, by: LearnerConfig = BY_COLUMNS) -> Entry:
    return Entry(f"columns-{name}", "columns", title, task, cost, COLUMNS, by)


CATALOGUE = (
    Entry("add", "table-1", "addition", ADD, 270),
    Entry("add-one-hot", "table-1", "addition, one-hot", ADD_1, 60),
    Entry("subtract", "table-1", "subtraction", Task("subtract"), 260),
    Entry("subtract-one-hot", "table-1", "subtraction, one-hot", SUBTRACT_1, 40),
    Entry("multiply", "table-1", "multiplication", MULTIPLY, 370),
    Entry("multiply-one-hot", "table-1", "multiplication, one-hot", MULTIPLY_1, 150),
    Entry("roman", "table-1", "Roman addition", ROMAN, 1020),
    Entry("roman-one-hot", "table-1", "Roman addition, one-hot", ROMAN_1, 390),
    Entry("noise", "noisy", "noisy addition", NOISY_BIT, 720),
    Entry("add-one-hot-better", "better", "addition, one-hot", ADD_1, 60, ENTROPY),
    Entry("subtract-one-hot-better", "better", "subtraction, one-hot", SUBTRACT_1, 60, ENTROPY),
    Entry("multiply-better", "better", "multiplication", MULTIPLY, 420, ADAM),
    Entry("multiply-one-hot-better", "better", "multiplication, one-hot", MULTIPLY_1, 90, HALF_ENTROPY),
    Entry("roman-better", "better", "Roman addition", ROMAN, 1000, ADAM),
    Entry("roman-one-hot-better", "better", "Roman addition, one-hot", ROMAN_1, 310, replace(ENTROPY, epochs=40)),
    Entry("noise-better", "better", "noisy addition", NOISY_BIT, 730, SLOW),
    Entry("sigmoid-better", "better", "addition, sigmoid units", ADD, 330, ADAM, SIGMOID),
    Entry("halve", "variations", "halving", Task("halve"), 60, BRIEF),
    Entry("sigmoid", "variations", "addition, sigmoid units", ADD, 300, PAPER, SIGMOID),
    Entry("sigmoid-long", "variations", "addition, sigmoid units, three times the epochs", ADD, 900, LONG, SIGMOID),
    Entry("permuted", "variations", "addition, pixels permuted", PERMUTED, 270),
    Entry("displaced", "variations", "addition of 3 digits, displaced", MOVED, 90, SHORT),
    Entry(
        "displaced-permuted", "variations", "addition of 3 digits, displaced, then permuted", MOVED_PERMUTED, 100, SHORT
    ),
    Entry(
        "permuted-displaced", "variations", "addition of 3 digits, permuted, then displaced", PERMUTED_MOVED, 100, SHORT
    ),
    Entry("convolutional", "variations", "addition, convolutional", ADD, 180, SHORTER, CONVOLUTIONAL),
    Entry(
        "convolutional-permuted",
        "variations",
        "addition, convolutional, pixels permuted",
        PERMUTED,
        180,
        SHORTER,
        CONVOLUTIONAL,
    ),
    Entry("add-three", "beyond", "sum of three", Task("add-three"), 300),
    Entry("add-three-long", "beyond", "sum of three, three times the epochs", Task("add-three"), 900, LONG),
    Entry("add-subtract", "beyond", "sum and difference at once", Task("add-subtract"), 400),
    Entry("associate", "beyond", "association of symbols", Task("associate"), 60, BRIEF),
    *(  # as many epochs as take the time of multiply-better
        Entry(name, "beyond", title, MULTIPLY, 430, replace(ADAM, epochs=epochs), learner("recurrent", hidden_layers=n))
        for name, title, n, epochs in (
            ("multiply-lstm", "multiplication by an LSTM", 1, 7),
            ("multiply-lstm-2-layers", "multiplication by an LSTM of two layers", 2, 4),
        )
    ),
    Entry("roman-symbols", "beyond", "Roman addition, symbols first", ROMAN, 680, ENTROPY, learner("symbols")),
    Entry("authors", "beyond", "addition as in the authors' code", AUTHORS, 330, RELEASED, learner(width=128), 30_000),
    _perception("perceive", "pictures to one-hot", "arabic", "pictures", "one-hot", 10),
    _perception("draw", "one-hot to pictures", "arabic", "one-hot", "pictures", 60),
    _perception("perceive-roman", "Roman pictures to one-hot", "roman", "pictures", "one-hot", 50),
    _perception("draw-roman", "one-hot to Roman pictures", "roman", "one-hot", "pictures", 150, 5),
    Entry(
        "roman-joined",
        "perception",
        "Roman addition, three parts joined",
        ROMAN,
        110,
        learner=learner("joined"),
        parts=("perceive-roman", "roman-one-hot-better", "draw-roman"),
    ),
    *(
        Entry(
            f"add-width-{width}", "how-much", f"addition, {width} units a layer", ADD, cost, PAPER, learner(width=width)
        )
        for width, cost in ((32, 100), (64, 120), (128, 180))
    ),
    Entry(
        "add-15000-examples",
        "how-much",
        "addition from 15,000 examples",
        ADD,
        360,
        replace(PAPER, epochs=500),  # as many steps
        examples=15_000,
    ),
    *(
        Entry(
            f"multiply-{depth}-layers{suffix}",
            "how-much",
            f"multiplication, {depth} layers{words}",
            MULTIPLY,
            cost,
            recipe,
            learner(hidden_layers=depth),
        )
        for depth, cost in ((3, 330), (7, 480))
        for suffix, words, recipe in (("", "", PAPER), ("-better", ", better recipe", ADAM))
    ),
    *(
        Entry(
            f"roman-{digits}-digits",
            "how-much",
            f"Roman addition up to {'9' * digits}",
            Task("add", notation="roman", digits=digits),
            cost,
        )
        for digits, cost in ((3, 600), (4, 750))
    ),
    *(
        Entry(
            f"roman-{size}-cells",
            "how-much",
            f"Roman addition, cells of {high} x {wide} pixels",
            Task("add", notation="roman", typeface=Typeface(height=high, width=35 * wide + 4)),
            cost,
        )
        for size, high, wide, cost in (("small", 11, 6, 900), ("large", 21, 11, 1500))
    ),
    _columns("add", "addition", ADD, 70),
    _columns("subtract", "subtraction", Task("subtract"), 70),
    _columns("multiply", "multiplication", MULTIPLY, 120),
    _columns("halve", "halving", Task("halve"), 70),
    _columns("noise", "noisy addition", NOISY_BIT, 250),
    _columns("found", "addition in the authors' layout, cells found", AUTHORS, 100, learner("columns", cells="found")),
    replace(
        _columns("any", "+, - or x, as the sign says", Task("any"), 250), recipe=replace(COLUMNS, epochs=15, batch=128)
    ),
    Entry("any", "columns", "+, - or x, by the perceptron", Task("any"), 150, HALF_ADAM),
    _columns("roman", "Roman addition", ROMAN, 100, learner("tally")),
    Entry("roman-numerals", "columns", "Roman addition, less given", ROMAN, 140, COLUMNS, learner("numerals")),
)
ENTRIES = {entry.name: entry for entry in CATALOGUE}
