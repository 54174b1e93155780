"""scikit-optimize's acquisition functions: not here, since a rule scores points together with its model."""

from suffice.compat.skopt.refusals import refusing

__getattr__ = refusing(
    __name__,
    "gaussian_acquisition_1D gaussian_ei gaussian_lcb gaussian_mes gaussian_pi gaussian_pvrs _gaussian_acquisition",
    "a rule is chosen by acq_func='EI', 'LCB', 'PI' or 'MES'; the model's prediction and deviation are "
    "result.models[-1].predict(X, return_std=True)",
)
