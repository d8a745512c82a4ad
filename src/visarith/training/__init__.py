"""How a learner is trained: the recipe, the loop, the plain computation and its exact shortcut."""
