"""What the options of verbs may be: made from the operations, the notations and the learners that there are."""

from visarith.learners import LEARNERS, config_of, options_of
from visarith.notation import NOTATIONS
from visarith.operations import OPERATIONS

OPERATION_NAMES, NOTATION_NAMES = tuple(OPERATIONS), tuple(NOTATIONS)
LEARNER_NAMES = tuple(name for name in LEARNERS if config_of(name).learns and config_of(name).by_name)
CONSTRUCTIONS = tuple(name for name, operation in OPERATIONS.items() if operation.construction)
SEQUENCES = tuple(sequence.name for operation in OPERATIONS.values() for sequence in operation.sequences)
MEDIA = ("pictures", "one-hot")
DEVICES = ("auto", "cpu", "cuda", "mps")
TASK_OPTIONS: dict[str, dict[str, object]] = {  # of pictures that we draw ourselves; not for --pictures
    "digits": {"type": int, "help": "of the longest number (default 7; five cells each in Roman numerals)"},
    "base": {"type": int, "help": "2 to 36 (default 10)"},
    "unpadded": {"action": "store_true", "help": "right-aligned numbers without leading zeros"},
    "noise": {"type": float, "help": "sigma of Gaussian noise on inputs and targets (the paper: 0.3)"},
    "displacement": {"type": int, "help": "move each input by up to this many pixels"},
    "permutation": {"action": "store_true", "help": "permute all pixels in one fixed way"},
    "notation": {"choices": NOTATION_NAMES, "help": "how numbers are written (default arabic)"},
    "medium": {"choices": MEDIA, "help": "default pictures"},
    "answer_medium": {"choices": MEDIA, "help": "if it is another than that of the inputs"},
    "font": {"metavar": "FILE", "help": "a .ttf or .otf file (default DejaVu Sans)"},
    "font_size": {"type": int, "help": "in pixels (default 12 at the paper's picture size)"},
    "picture": {"metavar": "HxW", "help": "height and width in pixels (default 15x60 for seven digits)"},
    "ink": {"choices": ("bit", "smooth"), "help": "one-bit or anti-aliased glyphs (default smooth)"},
}


def learner_options() -> dict[str, tuple[str, tuple[str, ...], type]]:
    """Every option of any learner that can be trained here: its help, its values and its type."""
    found: dict[str, tuple[str, tuple[str, ...], type]] = {}
    for learner in LEARNER_NAMES:
        for name, each in options_of(learner).items():
            found.setdefault(name, (each.metadata["help"], each.metadata["choices"], type(each.default)))
    return found


def flag(name: str) -> str:
    """An option as the command line writes it."""
    return "--" + name.replace("_", "-")
