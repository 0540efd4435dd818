"""statsmodels, imported by the modules that are used."""

from typing import Any

from understudy.deferred import Deferred

# statsmodels has no types, so that these lose none.
families: Any = Deferred("statsmodels.genmod.families")
generalized_linear_model: Any = Deferred("statsmodels.genmod.generalized_linear_model")
inter_rater: Any = Deferred("statsmodels.stats.inter_rater")
linear_model: Any = Deferred("statsmodels.regression.linear_model")
sandwich_covariance: Any = Deferred("statsmodels.stats.sandwich_covariance")
