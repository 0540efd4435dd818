"""Published automatic scores of the models of Ross et al. (2021): errors, DCI, MIG and mutual information."""

from understudy.report import ModelScores, SharedInformation

SPRITE_FACTORS = ("shape", "scale", "orientation", "x", "y")
LINE_FACTORS = ("slope", "intercept", "amplitude", "frequency", "phase")
_DIALS = tuple(f"z{k}" for k in range(1, 6))
_BITS = {
    "dsprites, ae": (
        (0.0625, 0.0709, 0.1276, 0.5069, 0.1147),
        (0.0828, 0.2213, 0.0807, 0.5880, 0.0334),
        (0.0746, 0.0238, 0.1359, 0.0841, 0.8839),
        (0.0431, 0.0228, 0.0827, 0.3177, 0.5803),
        (0.0819, 0.0360, 0.1737, 0.5001, 0.1154),
    ),
    "dsprites, vae": (
        (0.0262, 0.0956, 0.0053, 0.1986, 0.9667),
        (0.0199, 0.0755, 0.0048, 1.1109, 0.1656),
        (0.1175, 0.3047, 0.0081, 0.1298, 0.4695),
        (0.4121, 0.1273, 0.4672, 0.0059, 0.0358),
        (0.3438, 0.1447, 0.6074, 0.0050, 0.0119),
    ),
    "sinelines, ae": (
        (0.0334, 0.0314, 0.1906, 0.2521, 0.2083),
        (0.5575, 0.3069, 0.0653, 0.0330, 0.0779),
        (0.3434, 0.3600, 0.1094, 0.0536, 0.0468),
        (0.1854, 0.1630, 0.2394, 0.1238, 0.2364),
        (0.1293, 0.0875, 0.4126, 0.2001, 0.3096),
    ),
    "sinelines, vae": (
        (1.5603, 0.0473, 0.0923, 0.0524, 0.1112),
        (0.0514, 0.0737, 0.3989, 0.3641, 0.4777),
        (0.0487, 1.2951, 0.0685, 0.0426, 0.0738),
        (0.3098, 0.0437, 0.1873, 0.3259, 0.4356),
        (0.0541, 0.0407, 0.2054, 0.4662, 0.1589),
    ),
}
"""Bits; row: dial, column: true factor."""


def _learned(group: str, label: str, error: float, dci: float, mig: float) -> ModelScores:
    data, factors = ("dSprites", SPRITE_FACTORS) if group.startswith("dsprites") else ("Sinelines", LINE_FACTORS)
    return ModelScores(
        label, data, error, dci_paper=dci, mig=mig, shared=SharedInformation(factors, _BITS[group]), dials=_DIALS
    )


SYNTHETIC_SCORES = {
    "dsprites, ae": _learned("dsprites, ae", "dSprites AE", 6.481531, 0.141853, 0.031602),
    "dsprites, vae": _learned("dsprites, vae", "dSprites VAE", 8.086238, 0.399140, 0.093840),
    "dsprites, gt": ModelScores("dSprites GT", "dSprites", 8.898539, 1.0, None, 1.0),
    "sinelines, ae": _learned("sinelines, ae", "Sinelines AE", 0.590773, 0.205109, 0.032911),
    "sinelines, vae": _learned("sinelines, vae", "Sinelines VAE", 3.284419, 0.395064, 0.149971),
    "sinelines, gt": ModelScores("Sinelines GT", "Sinelines", 0.0, 1.0, None, 1.0),
}
"""Group of our table -> scores; true models score 1 by construction."""
MNIST_SCORES = {
    "ae5": ModelScores("MNIST AE, 5", "MNIST", 15.501160),
    "vae5": ModelScores("MNIST VAE, 5", "MNIST", 16.264723),
    "ig5": ModelScores("MNIST IG, 5", "MNIST"),
    "tc5": ModelScores("MNIST TC, 5", "MNIST", 25.413437),
    "ss5": ModelScores("MNIST SS, 5", "MNIST", 20.791296),
    "ae10": ModelScores("MNIST AE, 10", "MNIST", 7.150496),
    "tc10": ModelScores("MNIST TC, 10", "MNIST", 24.906212),
    "ss10": ModelScores("MNIST SS, 10", "MNIST", 20.772451),
}
"""Digits have no known factors, so only errors are known; an InfoGAN has no encoder and no error."""
THINKALOUD_SCORES = {
    f"{size}, {model}": MNIST_SCORES[f"{model}{size}"]._replace(label=f"{model.upper()}, {size} dials")
    for size in ("5", "10")
    for model in ("ae", "tc", "ss")
}
