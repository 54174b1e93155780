"""Studies while they run, in a browser: `suffice dashboard DIR_OR_STORE`.

A thread follows files (folder.py, watcher.py, watched.py), reads what is appended to them (tail.py) into light columns
(columns.py, parts.py), and wakes the streams of events (stream.py). Answers are made of the columns (answers.py), of
one trial as the file has it (detail.py), and of the model (slices.py, slicer.py). guard.py says who may ask, server.py
what can be asked, and serving.py opens the port, in which idle.py makes room. Stores are read and never written.
"""
