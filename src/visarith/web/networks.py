"""Which networks the page offers: those that ship, and for each operation one that is set by hand."""

import threading
from dataclasses import dataclass, field
from functools import cached_property

from visarith.data.task import Task
from visarith.errors import VisarithError
from visarith.evaluation import Score
from visarith.learners import config_of, learner_config
from visarith.learners.learner import Learner
from visarith.reading import Reader
from visarith.runs.pretrained import Pretrained, pretrained
from visarith.runs.run import Run

CONSTRUCTED = "constructed"


@dataclass(frozen=True)
class Op:
    """An operation as the page offers it."""

    title: str
    operation: str
    notation: str
    example: tuple[str, str]

    def task(self) -> Task:
        return Task(self.operation, notation=self.notation)


OPS = {
    "add": Op("Addition", "add", "arabic", ("1234567", "2345678")),
    "subtract": Op("Subtraction", "subtract", "arabic", ("7654321", "1234567")),
    "multiply": Op("Multiplication", "multiply", "arabic", ("1234", "2345")),
    "roman": Op("Roman addition", "add", "roman", ("MDCLXVI", "CCCXXXIII")),
}
TITLES = {
    "columns": "Columns",
    "tally": "Tally",
    "perceptron": "Perceptron",
    "perceptron-noise": "Perceptron, noise-trained",
    CONSTRUCTED: "Built by hand",
}
ORDER = tuple(TITLES)
WATCHED = {"tally": "columns", "long multiplication": "columns"}  # how the page shows these ways to think
INSTEAD = {"columns": "tally"}  # who is asked where the other is not there: columns are tallies for Romans


@dataclass(eq=False)
class Network:
    """One network of one operation; it is loaded when it is first asked."""

    op: str
    learner: str
    name: str
    shipped: Pretrained | None  # none: it is constructed
    _loading: threading.Lock = field(default_factory=threading.Lock)

    @property
    def title(self) -> str:
        return TITLES.get(self.learner, self.learner.capitalize())

    @cached_property
    def _loaded(self) -> tuple[Run | None, Task, Learner]:
        if self.shipped is not None:
            run = self.shipped.load()
            return run, run.task, run.learner
        task = OPS[self.op].task()
        return None, task, learner_config(CONSTRUCTED).build(task).eval()

    def _load(self) -> tuple[Run | None, Task, Learner]:
        with self._loading:
            return self._loaded

    @property
    def run(self) -> Run | None:
        return self._load()[0]

    @property
    def task(self) -> Task:
        return self._load()[1]

    @property
    def module(self) -> Learner:
        return self._load()[2]

    @property
    def score(self) -> Score | None:
        """Of the run that ships; none where nothing was learned."""
        return self.run.score if self.run else None

    @cached_property
    def templates(self) -> Reader:
        return self.task.legend.reader("templates")

    @property
    def page(self) -> str:
        """The name of the page on which its numbers are typeset: the notation, and the ink if it is one-bit."""
        task = self.task
        return task.notation.name + ("" if task.typeface.ink == "smooth" else "-bit")

    @property
    def thinks(self) -> str:
        """What there is to watch: columns, units, gates or nothing."""
        return WATCHED.get(self.module.thinks, self.module.thinks)

    @property
    def weights(self) -> int:
        return self.module.weight_count

    @property
    def described(self) -> str:
        """What it is, in a line."""
        return self.module.described()

    @property
    def given(self) -> str:
        """What it was told beforehand."""
        return config_of(self.shipped.learner if self.shipped else CONSTRUCTED).given


class Networks:
    """All that are offered, by operation and learner; the best come first."""

    def __init__(self) -> None:
        self.by_op: dict[str, dict[str, Network]] = {op: {} for op in OPS}
        for shipped in pretrained():
            op = _op(shipped)
            if op:
                key = shipped.learner + ("-noise" if shipped.noise else "")
                key = shipped.name if key in self.by_op[op] else key
                self.by_op[op][key] = Network(op, key, shipped.name, shipped)
        for op in OPS:
            made = self.by_op[op]
            made.setdefault(CONSTRUCTED, Network(op, CONSTRUCTED, f"constructed-{op}", None))
            self.by_op[op] = dict(sorted(made.items(), key=lambda item: _rank(item[0])))

    def find(self, op: str, learner: str = "") -> Network:
        """The network of this operation; without a learner the first one."""
        if op not in OPS:
            raise VisarithError(f"op {op!r} is unknown; use one of {', '.join(OPS)}")
        offered = self.by_op[op]
        if INSTEAD.get(learner) in offered and learner not in offered:
            learner = INSTEAD[learner]
        learner = learner or next(iter(offered))
        if learner not in offered:
            raise VisarithError(f"learner {learner!r} is not there to {op}; use one of {', '.join(offered)}")
        return offered[learner]

    def all(self) -> list[Network]:
        return [network for offered in self.by_op.values() for network in offered.values()]


def _op(shipped: Pretrained) -> str:
    """The operation of the page that a shipped network is for, or none."""
    for name, op in OPS.items():
        if (op.operation, op.notation) == (shipped.operation, shipped.notation):
            return name
    return ""


def _rank(learner: str) -> tuple[int, str]:
    return ORDER.index(learner) if learner in ORDER else len(ORDER), learner
