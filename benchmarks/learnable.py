"""What the analysis says of operations, and what a short training says: the paper's operations and others.

    python benchmarks/learnable.py    # about 12 minutes on one core; stored rows are skipped

Each row is kept in results/learnable.json as soon as it is there; the report prints them and judges claim 32 by them.
The lengths are such that half a minute of training says something; products have the paper's seven digits.
"""

import json
import time
from pathlib import Path

from visarith.insight.learnability import learnable
from visarith.insight.question import Question
from visarith.insight.quick import MEDIA, quick_training
from visarith.questions import as_json

RESULTS = Path(__file__).parent.parent / "results" / "learnable.json"
QUESTIONS = (
    Question("add", digits=4),
    Question("subtract", digits=4),
    Question("multiply", digits=7),
    Question("halve", digits=5),
    Question("add", "roman", digits=3),
    Question("max(a, b)", digits=4),
    Question("abs(a - b)", digits=4),
    Question("a % 7", digits=5),
    Question("a // 3", digits=5),
    Question("a * 3", digits=5),
    Question("reverse(a)", digits=5),
    Question("a ^ b", base=2, digits=10),
    Question("a > b", digits=4),
    Question("digit_sum(a)", digits=5),
    Question("a // (b + 1)", digits=4),
    Question("(a + b) % base**digits", digits=4),
    Question("a * a", digits=7),
    Question("a % (b + 1)", digits=4),
)


def name(question: Question) -> str:
    look = "Roman" if question.notation == "roman" else f"base {question.base}"
    return f"{question.text}, {question.digits} digits, {look}"


def measure(question: Question) -> dict[str, object]:
    started = time.process_time()
    found = learnable(question)
    trained = [quick_training(question, medium) for medium in MEDIA]
    return as_json(question, found, trained) | {"seed": 0, "core_seconds": round(time.process_time() - started, 1)}


def stored() -> dict[str, dict[str, object]]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def main() -> None:
    for question in QUESTIONS:
        if name(question) not in stored():
            row = measure(question)
            rows = stored() | {name(question): row}
            ordered = {name(each): rows[name(each)] for each in QUESTIONS if name(each) in rows}
            RESULTS.write_text(json.dumps(ordered, indent=1) + "\n")
            print(f"{name(question)}: {row['verdict']}; {row['trained']}", flush=True)


if __name__ == "__main__":
    main()
