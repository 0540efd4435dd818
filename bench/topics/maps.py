"""Maps: explaining photos by class maps and by prototypes, beside captum and cabrnet."""

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image

from cabrnet_peer import CABRNET, PEER
from map_scene import EDGE, N_CHANNELS, N_CLASSES, N_EACH, SEED, MapScene, map_scene
from measured import Bench, Peer, Row, timed
from peer_folder import NoPeer
from understudy.errors import optional
from understudy.explainers import ClassMaps, PrototypeMatching
from understudy.roles import Explainer, Floats
from understudy.sources.heat_maps import enlarged_map

N = 1000
N_AT_ONCE = 64


def class_maps(is_quick: bool) -> Row:
    """Measure the class maps of photos, beside captum's LayerGradCam of the same network."""
    with TemporaryDirectory() as folder:
        scene = map_scene(Path(folder) / "model", N // 20 if is_quick else N, method="class_maps")
        ours = timed(lambda: scene.model.maps(scene.inputs), n_repeats=3)
        maps = _targets_only(scene)
        whole = _seconds_of(ClassMaps(), scene)
        peer, same = Peer("captum", "", None, "peer not installed"), ""
        if find_spec("captum") is not None:
            theirs = _captum_maps(scene)
            took = timed(lambda: _captum_maps(scene), n_repeats=2, n_warm=0)
            peer = Peer("captum", version("captum"), took.best_s, "LayerGradCam of the last convolution, by 64 photos")
            # The gradient of a mean over places is the weight divided by their number.
            scale = maps.shape[1] * maps.shape[2]
            same = f"; largest difference of the maps {np.abs(np.maximum(maps, 0) / scale - theirs).max():.1e}"
    return Row(
        what=f"class maps of {len(scene.inputs):,} photos", n=len(scene.inputs), seed=SEED, ours=ours, peer=peer,
        method=f"Photos of {EDGE} x {EDGE} x 3; three convolutions with {N_CHANNELS} features and a linear head of {N_CLASSES} "
        "classes; one thread. The maps of all classes come with the answer, by ONNX; captum needs a way back.",
        reads=f"{whole:.1f} s with the files that pages show{same}",
    )  # fmt: skip


def prototype_maps(is_quick: bool) -> Row:
    """Measure comparing photos with the prototypes of a class, beside cabrnet."""
    with TemporaryDirectory() as folder:
        scene = map_scene(Path(folder) / "model", N // 20 if is_quick else N, method="prototypes")
        ours = timed(lambda: _enlarged(scene), n_repeats=2)
        whole = _seconds_of(PrototypeMatching(), scene)
        peer, same = Peer("cabrnet", CABRNET, None), ""
        few = 20 if is_quick else 100
        try:
            theirs = _cabrnet_maps(scene, 2)
            took = timed(lambda: _cabrnet_maps(scene, few), n_repeats=1, n_warm=0)
            peer = peer._replace(
                seconds=took.best_s / few * len(scene.inputs), note=f"cubic_upsampling of {few} photos, scaled to all"
            )
            apart = np.abs(
                _enlarged(scene._replace(inputs=scene.inputs[:2])).mean(axis=(2, 3)) - theirs.mean(axis=(2, 3))
            )
            same = f"; largest difference of the means of maps {apart.max():.1e}"
        except NoPeer as error:
            peer = peer._replace(note=f"peer not available: {error}")
    return Row(
        what=f"prototype maps of {len(scene.inputs):,} photos", n=len(scene.inputs), seed=SEED, ours=ours, peer=peer,
        method=f"The same photos and convolutions, {N_EACH} prototypes for each of {N_CLASSES} classes; the maps of the "
        "prototypes of one class, enlarged to the photo; one thread. cabrnet runs the network again for each prototype, and we "
        "once for all of them, which is most of the difference.",
        reads=f"{whole:.1f} s with boxes and the files that pages show{same}",
    )  # fmt: skip


def _seconds_of(explainer: Explainer, scene: MapScene) -> float:
    rng = np.random.default_rng(SEED)
    return timed(lambda: explainer.explain(scene.model, scene.inputs, scene.targets, rng), n_repeats=1, n_warm=0).best_s


def _targets_only(scene: MapScene) -> Floats:
    maps: Floats = scene.model.maps(scene.inputs)[np.arange(len(scene.inputs)), scene.targets]
    return maps


def _captum_maps(scene: MapScene) -> Floats:
    torch, attr = optional("torch", extra="torch"), optional("captum.attr", extra="captum")
    network = torch.nn.Sequential(scene.features, scene.head, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten())
    method = attr.LayerGradCam(network, scene.features)
    found = []
    for start in range(0, len(scene.inputs), N_AT_ONCE):
        rows = torch.from_numpy(scene.inputs[start : start + N_AT_ONCE]).float()
        targets = torch.from_numpy(scene.targets[start : start + N_AT_ONCE])
        found.append(method.attribute(rows, targets, relu_attributions=True)[:, 0].detach().numpy())
    return np.concatenate(found)


def _enlarged(scene: MapScene) -> Floats:
    """Return the enlarged maps of the prototypes of each photo's class."""
    maps = scene.model.maps(scene.inputs).reshape(len(scene.inputs), N_CLASSES, N_EACH, *_grid(scene))
    return np.array(
        [
            [enlarged_map(coarse, EDGE, EDGE).astype(np.float32) for coarse in of_photo[target]]
            for of_photo, target in zip(maps, scene.targets, strict=False)
        ]
    )


def _grid(scene: MapScene) -> tuple[int, int]:
    rows, columns = scene.model.maps(scene.inputs[:1]).shape[2:]
    return rows, columns


def _cabrnet_maps(scene: MapScene, n: int) -> Floats:
    """Let cabrnet compare photos with the prototypes of their class, one after the other as its explainers do."""
    torch = optional("torch", extra="torch")
    similarity = PEER.module("cabrnet.core.utils.similarities").ProtoPNetSimilarity()
    upsample = PEER.module("cabrnet.core.visualization.upsampling").cubic_upsampling
    prototypes = scene.head[:, :, None, None]

    class Network(torch.nn.Module):  # type: ignore[misc, name-defined]
        def similarities(self, pictures: Any) -> Any:
            return similarity.similarities(scene.features(pictures), prototypes)

    network = Network()
    blank = Image.new("RGB", (EDGE, EDGE))
    return np.array(
        [
            [
                upsample(network, blank, torch.from_numpy(row).float(), int(target) * N_EACH + k, "cpu")
                for k in range(N_EACH)
            ]
            for row, target in zip(scene.inputs[:n], scene.targets, strict=False)
        ]
    )


ROWS = (Bench("class maps", class_maps), Bench("prototype maps", prototype_maps))
