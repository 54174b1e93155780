"""scikit-optimize's regressors: not here."""

from suffice.compat.skopt.arguments import REGRESSOR
from suffice.compat.skopt.refusals import refusing

__getattr__ = refusing(
    __name__,
    "GaussianProcessRegressor RandomForestRegressor ExtraTreesRegressor GradientBoostingQuantileRegressor "
    "gaussian_process forest gbrt",
    REGRESSOR,
)
