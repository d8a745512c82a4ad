"""An entry of the catalogue: one experiment, at full size or at one that shows only that it works."""

from dataclasses import dataclass, field, replace

from visarith.data.task import Task
from visarith.experiments.paper import paper_digit_error
from visarith.learners import learner_config
from visarith.learners.config import LearnerConfig
from visarith.runs.experiment import Experiment
from visarith.training.recipe import PAPER, Recipe

SIZE, TEST_PAIRS, TESSERACT = 150_000, 30_000, 2_000
QUICK_SIZE, QUICK_TEST_PAIRS, QUICK_TESSERACT, QUICK_EPOCHS = 2_000, 400, 20, 2


@dataclass(frozen=True)
class Entry:
    """One experiment of the paper; `cost` is what it takes in seconds of one core of the machine in docs/log.md."""

    name: str
    group: str
    title: str
    task: Task
    cost: float
    recipe: Recipe = PAPER
    learner: LearnerConfig = field(default_factory=learner_config)
    examples: int = SIZE
    parts: tuple[str, ...] = field(default=())  # the entries whose runs are joined instead of training

    @property
    def paper(self) -> float | None:
        """The paper's share of wrong digits, where the entry is a cell of its table or noisy addition."""
        return paper_digit_error(self.task) if self.group in ("table-1", "noisy", "better") else None

    def experiment(self, seed: int, *, quick: bool = False, threads: int = 1) -> Experiment:
        """What is run for this seed; quick is a size at which nothing can be concluded."""
        recipe = replace(self.recipe, epochs=min(self.recipe.epochs, QUICK_EPOCHS)) if quick else self.recipe
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
