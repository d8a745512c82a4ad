"""Picture sets for learners: from a task, from arrays or from a folder."""
