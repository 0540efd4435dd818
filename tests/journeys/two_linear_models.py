"""What somebody writes who compares the components of scikit-learn's PCA and NMF."""

from pathlib import Path

import numpy as np
from sklearn.decomposition import NMF, PCA

from understudy.models import export_decoder

pictures = np.random.default_rng(1).random((120, 16))
for name, model in (("pca", PCA(3)), ("nmf", NMF(3, init="random", random_state=1, max_iter=2000))):
    codes = model.fit(pictures[:80]).transform(pictures[80:])
    export_decoder(model, Path(f"{name}.onnx"), codes=codes, shape=(4, 4))
