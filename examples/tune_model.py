"""Tune a scikit-learn model: which of two models, and with which settings. Writes a report beside it.

python examples/tune_model.py [FOLDER]
"""

import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import suffice as sf
from suffice.integrations.sklearn import SufficeSearchCV
from suffice.report import write

svc, forest = SVC(), RandomForestClassifier(random_state=0)
model = Pipeline([("scale", StandardScaler()), ("clf", svc)])
space = sf.Space(
    clf=sf.Choice(svc, forest),
    clf__C=sf.Float(1e-2, 1e3, log=True, when={"clf": svc}),
    clf__gamma=sf.Float(1e-5, 1.0, log=True, when={"clf": svc}),
    clf__n_estimators=sf.Int(10, 60, log=True, when={"clf": forest}),
    clf__max_features=sf.Float(0.05, 1.0, when={"clf": forest}),
)


def main(folder: str = ".", n_trials: int = 25, n_jobs: int = 2) -> SufficeSearchCV:
    X, X_test, y, y_test = train_test_split(*load_breast_cancer(return_X_y=True), random_state=0)
    search = SufficeSearchCV(model, space, n_trials=n_trials, cv=5, n_jobs=n_jobs, random_state=0)
    search.fit(X, y)

    print(search.result_)
    print(f"\nBest parameters: {search.best_params_}")
    print(f"Accuracy over five folds: {search.best_score_:.4f}")
    print(f"On data that were held out: {search.score(X_test, y_test):.4f}")
    write(search.result_, Path(folder) / "tune_model.html", name="breast cancer")
    print(f"The report is in {Path(folder) / 'tune_model.html'}")
    return search


if __name__ == "__main__":
    main(*sys.argv[1:2])
