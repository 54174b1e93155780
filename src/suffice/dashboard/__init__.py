"""Studies while they run, in a browser: `suffice dashboard DIR_OR_STORE`.

A thread (follow.py) watches files (files.py), folds appended events into light columns (table.py), and wakes the
streams of events. server.py answers requests from the columns, from the record of one trial (detail.py), and from the
model (model.py). guard.py decides which requests are allowed, and serving.py opens the port. The dashboard reads
studies and never writes them.
"""
