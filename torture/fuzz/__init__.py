"""Every reader of files, fed with files that somebody broke: refused by name, or read and sane."""
