"""What the paper could not do: the topics of column learners."""

from visarith.report import controls, exact, perception
from visarith.report.ablations import ablated
from visarith.report.few_examples import few_examples, few_examples_figure
from visarith.report.parts import Plate, Topic
from visarith.report.reliability import reliable
from visarith.report.rules import learned_rules

EXACT = Topic(
    "Beyond the paper: exact at every length",
    "Column learners see the same pixels and are taught by the same squared error. They are given where cells stand "
    "and how they are wired, not what they compute, and find by trial which wiring suits. A certificate tries every "
    "case of the cell that all columns share, through pixels and the trained weights.",
    plates=(
        Plate("lengths", "Lengths never seen", exact.lengths_figure),
        Plate("few-examples", "Few examples", few_examples_figure),
    ),
    tables=(exact.beside_the_perceptron, reliable),
    appendix=(
        exact.certificates,
        exact.other_lengths,
        ablated,
        controls.mutants,
        controls.withheld,
        few_examples,
        learned_rules,
    ),
)
PERCEPTION = Topic(
    "Beyond the paper: pictures that cannot be read",
    "A cell that looks like no glyph of the training pictures is unreadable, and the answer says so. Position and "
    "contrast are evened out before reading.",
    plates=(Plate("perception", "Pictures that were not trained on", perception.examples_figure),),
    tables=(perception.foreign_pictures,),
    appendix=(perception.disturbed_pictures, perception.unseen_typefaces),
)
