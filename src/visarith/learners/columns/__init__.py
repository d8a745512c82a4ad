"""The column learner: one small network for all cells, and a state that is carried from column to column."""

PATHS = ("aligned", "diagonal", "both", "rows", "signs")  # stored by index; signs: each sign has its own
SCANS = ("right", "left", "right-left")
