"""What the report does not show, what each learner is given, and every experiment."""

from visarith.report.experiments import group_tables, learners, positions
from visarith.report.parts import Topic

TOPIC = Topic(
    "Limitations, and what each learner is given",
    "The paper's own pictures, fonts and random numbers are not known; everything here is drawn anew, in DejaVu Sans "
    "at 15 x 60 pixels. What its recipe leaves open was read in one way, but for the ink, which is one-bit in noisy "
    "addition; the scale of the loss was chosen after runs of seed 0 had failed with others. Rules of verdicts have "
    "their day beside them; those from after the results are no predictions. Intervals are of the mean over seeds "
    "where there are several, and do not cover other fonts or other ranges. A certificate holds for clean pictures "
    "in the training font; Roman numerals are certified for operands up to 4,999,999. No people have read answers "
    "yet. Times are of two cores of one machine.",
    tables=(lambda _: learners(),),
    appendix=(group_tables, positions),
)
