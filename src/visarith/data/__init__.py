"""What is shown to a learner: picture sets, made by a task, from arrays or from a folder."""
