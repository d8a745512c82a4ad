"""The topics of the report in their order, and the paper's 37 claims that they decide."""

from visarith.report import (
    beyond,
    construction,
    growth,
    illegible,
    layers,
    learnability,
    limitations,
    noise,
    numerals,
    one_hot,
    products,
    readings,
    sums,
    table_1,
    variations,
)
from visarith.report.evidence import Evidence
from visarith.report.parts import Claim, Table, Topic

TOPICS: tuple[Topic, ...] = (
    table_1.TOPIC,
    sums.TOPIC,
    products.TOPIC,
    numerals.TOPIC,
    one_hot.TOPIC,
    noise.TOPIC,
    illegible.TOPIC,
    layers.TOPIC,
    construction.TOPIC,
    growth.TOPIC,
    variations.TOPIC,
    learnability.TOPIC,
    beyond.EXACT,
    beyond.PERCEPTION,
    readings.TOPIC,
    limitations.TOPIC,
)
CLAIMS: tuple[Claim, ...] = tuple(
    sorted((claim for topic in TOPICS for claim in topic.claims), key=lambda claim: claim.number)
)


def claims(evidence: Evidence) -> Table:
    """Every claim of the paper, what we measured, and the verdict."""
    rows = []
    for claim in CLAIMS:
        verdict = claim.verdict(evidence)
        rows.append([str(claim.number), claim.titled, verdict.measured, verdict.word, verdict.why])
    return Table("All 37 claims", "", ["#", "claim (the paper's figure)", "what we measured", "verdict", "why"], rows)


def index() -> Table:
    """Where each claim stands in the paper, in the report and in the code."""
    rows = [
        [str(claim.number), claim.titled, claim.section, topic.title, f"`{claim.where}`"]
        for claim in CLAIMS
        for topic in TOPICS
        if claim in topic.claims
    ]
    return Table("Where each claim lives", "", ["#", "claim", "section", "topic of the report", "code"], rows)
