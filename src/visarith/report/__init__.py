"""Verdicts, tables and figures from stored results; nothing is trained here. `report.py` says which file makes what."""
