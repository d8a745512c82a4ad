"""Runs: an experiment as data, its folder, learning, judging, loading, pretrained runs."""
