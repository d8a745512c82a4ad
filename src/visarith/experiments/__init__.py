"""Experiments as data, the folders that runs are kept in, and the runs themselves."""
