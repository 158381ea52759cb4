"""Bayesian calibration of GPUs on their own logs: a posterior as draws, a catalog entry, and forecasts with bands."""
from .anchors import Conditioned, conditioned
from .making import calibrate
from .posterior import Calibration

__all__ = ["Calibration", "Conditioned", "calibrate", "conditioned"]
