"""What happens to real runs on bad days: killed processes, full disks, broken files.

`python -m torture.kills` and `python -m torture.faults`, each with `--quick`, print a table of what
was done and what came of it, and fail if one promise was broken.
"""
