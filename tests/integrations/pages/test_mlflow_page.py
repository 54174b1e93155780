"""The program of docs/howto/mlflow.md, and what MLflow has recorded of it."""

import json
import subprocess
import sys

import pytest

from ...docs.pages import Page

pytest.importorskip("mlflow")

READ = """
import json, mlflow
mlflow.set_tracking_uri("sqlite:///mlflow.db")
client = mlflow.MlflowClient()
runs = client.search_runs([client.get_experiment_by_name("tune").experiment_id])
print(json.dumps([{"name": r.info.run_name, "params": r.data.params, "metrics": r.data.metrics, "tags": r.data.tags,
                   "id": r.info.run_id} for r in runs]))
"""


def test_every_trial_is_a_run_below_that_of_the_study(program, tmp_path):
    program(Page("docs/howto/mlflow.md"), "tune_mlflow.py")
    words = {"capture_output": True, "text": True, "cwd": tmp_path, "check": True, "timeout": 120}
    runs = {run["name"]: run for run in json.loads(subprocess.run([sys.executable, "-c", READ], **words).stdout)}
    study = runs.pop("study")
    assert runs.keys() == {f"trial {i}" for i in range(15)}
    assert {run["tags"]["mlflow.parentRunId"] for run in runs.values()} == {study["id"]}
    assert all(run["params"].keys() == {"x", "kind"} and run["tags"]["state"] == "COMPLETE" for run in runs.values())
    assert study["metrics"]["best"] == min(run["metrics"]["value"] for run in runs.values()) < 0.01
    assert 0.0 <= runs["trial 14"]["metrics"]["relative_gap"] < 0.1
    assert "relative_gap" not in runs["trial 0"]["metrics"]
