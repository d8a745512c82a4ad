"""Looking inside: what a run has learned, and what an operation asks of a learner."""
