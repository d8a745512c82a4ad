"""How a learner is trained: the recipe, the loop and the dense computation."""
