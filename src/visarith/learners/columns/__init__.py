"""The column learner: one small network for all cells, and a state that is carried from column to column."""

PATHS = ("aligned", "diagonal", "both", "rows")  # stored by index
SCANS = ("right", "left", "right-left")
