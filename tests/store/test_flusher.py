"""What was written is flushed a moment later, once for all that came meanwhile."""

import os
import threading

import pytest

from suffice.store import sqlite as flusher
from suffice.store.sqlite import Flusher


@pytest.fixture
def flushed(monkeypatch):
    """A count of flushes, which never stop to wait."""
    done = threading.Semaphore(0)
    monkeypatch.setattr(flusher, "DELAY", 0.0)
    monkeypatch.setattr(os, "fsync", lambda descriptor: done.release())
    return done


def test_every_series_of_writes_is_flushed(tmp_path, flushed):
    path = tmp_path / "file"
    path.touch()
    flush = Flusher(path)
    for _ in range(3):
        flush.wrote()
        assert flushed.acquire(timeout=10)
    flush.close()
    flush._thread.join(10)
    assert not flush._thread.is_alive()


def test_a_file_that_is_gone_ends_nothing(tmp_path, flushed):
    path = tmp_path / "file"
    flush = Flusher(path)
    flush.wrote()
    path.touch()
    while not flushed.acquire(timeout=0.01):
        flush.wrote()
    flush.close()
    flush._thread.join(10)
    assert not flush._thread.is_alive()


def test_nothing_runs_before_something_is_written(tmp_path):
    flush = Flusher(tmp_path / "file")
    assert flush._thread is None
    flush.close()
