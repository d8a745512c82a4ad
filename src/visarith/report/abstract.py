"""The report in ten lines, each from stored results; a line that has none is left out."""

from collections.abc import Callable

from visarith.evaluation import percent
from visarith.report.claims import CLAIMS
from visarith.report.evidence import Evidence, NoResultError
from visarith.report.parts import LEARNED, WORDS, errors
from visarith.studies.catalogue import CATALOGUE
from visarith.studies.reliability import TASKS


def abstract(evidence: Evidence) -> list[str]:
    """The lines, in the order in which they are read."""
    lines = []
    for line in LINES:
        try:
            lines.append(line(evidence))
        except NoResultError:
            continue
    return lines


def verdicts(evidence: Evidence) -> str:
    """How many claims have which verdict."""
    words = [claim.verdict(evidence).word for claim in CLAIMS]
    said = ", ".join(f"{words.count(word)} {word}" for word in WORDS if word in words)
    return f"Of the paper's {len(words)} claims: {said}."


def _what(_: Evidence) -> str:
    return (
        "Hoshen and Peleg (AAAI 2016) show a network the pictures of two numbers and of the answer to their sum, "
        "difference or product, and nothing else; it learns to draw the answer."
    )


def _done(evidence: Evidence) -> str:
    ended = [run for entry in CATALOGUE for run in evidence.summary(entry.name).runs]
    if not ended:
        raise NoResultError("any experiment")
    minutes, seeds = sum(run.core_seconds for run in ended) / 60, len({run.seed for run in ended})
    of_seeds = f"up to {seeds} seeds each" if seeds > 1 else "one seed each"
    return f"All of it is done again here from pixels: {len(ended)} runs, {of_seeds}, {minutes:.0f} core minutes."


def _sums(evidence: Evidence) -> str:
    add, subtract = evidence["add"], evidence["subtract"]
    return f"Wrong digits of sums: {errors(add)} (the paper 1.9 %); of differences: {errors(subtract)} (3.2 %)."


def _one_hot(evidence: Evidence) -> str:
    shares = [percent(evidence[f"{name}-one-hot"].mean) for name in ("add", "subtract", "roman")]
    better = [percent(evidence[f"{name}-one-hot-better"].mean) for name in ("add", "subtract", "roman")]
    return (
        f"From one-hot vectors, addition, subtraction and Roman addition: {', '.join(shares)} with the printed recipe "
        f"(the paper 1.7, 2.1 and 0.7 %), {', '.join(better)} with a better one."
    )


def _noise(evidence: Evidence) -> str:
    paper, better = evidence["noise"], evidence["noise-better"]
    return f"With strong noise: {errors(paper)} (the paper 9.8 %), {percent(better.mean)} with a better recipe."


def _products(evidence: Evidence) -> str:
    paper, better = evidence["multiply"], evidence["multiply-better"]
    return f"Multiplication: {errors(paper)} (71.5 %), {percent(better.mean)} with a better recipe."


def _roman(evidence: Evidence) -> str:
    paper, better = evidence["roman"], evidence["roman-better"]
    said = f"Roman addition: {errors(paper)} of cells (74.3 %), {percent(better.mean)} with a better recipe"
    obstacle = better.mean < LEARNED <= paper.mean
    return f"{said}: there the recipe was the obstacle, not the network." if obstacle else f"{said}."


def _columns(evidence: Evidence) -> str:
    rows = evidence.rows("reliability")
    exact = sum(not row["wrong"] and row["certificate"]["certified"] for row in rows)
    seeds = len({row["run_seed"] for row in rows})
    return (
        f"A learner that is given how cells are wired, not what they compute ({', '.join(TASKS)}): {exact} of "
        f"{len(rows)} runs with {seeds} fresh seeds have 0 of {rows[0]['fresh']:,} wrong and a certificate."
    )


LINES: tuple[Callable[[Evidence], str], ...] = (
    _what,
    _done,
    verdicts,
    _sums,
    _one_hot,
    _noise,
    _products,
    _roman,
    _columns,
)
