"""What happens on bad days: killed processes, full disks, broken files, extreme numbers.

`python -m torture` runs all parts; one alone is `python -m torture.kills`, `.faults`, `.fuzz`,
`.extremes`, `.workers`, `.exactness`, `.border` or `.pages`. Each takes `--quick`, prints what was
done and what came of it, and fails if a promise was broken.
"""
