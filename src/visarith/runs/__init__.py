"""Runs: experiments, run folders, training, judging, loading, pretrained runs."""
