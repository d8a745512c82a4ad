"""A network whose weights are set by hand, from the pictures of the symbols (Sec. 6); nothing is learned."""

FORMS = ("thresholds", "fewest", "carries")
