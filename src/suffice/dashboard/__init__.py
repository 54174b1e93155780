"""Studies while they run, in a browser: `suffice dashboard DIR_OR_STORE`.

A thread (follow.py) looks at files (files.py), folds what is appended to them into light columns (table.py), and wakes
the streams of events. server.py has what can be asked; the answers are made of the columns, of one trial as the file
has it (detail.py), and of the model (slices.py). guard.py decides who may ask, and serving.py opens the port. Stores
are read and never written.
"""
