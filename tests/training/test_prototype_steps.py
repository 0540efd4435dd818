"""Steps of prototype networks: prototypes become real patches, pruning drops the impure, leaves count evidence."""

import pytest

from understudy.errors import MaterialsError
from understudy.training.map_recipes import map_recipe

torch = pytest.importorskip("torch", reason="needs the extra torch")

from tests.training.toy_pictures import toy_rows  # noqa: E402
from understudy.training import protopnet, prototree  # noqa: E402
from understudy.training.map_nets import (  # noqa: E402
    MapNet,
    ProtoPNetHead,
    ProtoTreeHead,
    SmallCnn,
)
from understudy.training.protopnet import (  # noqa: E402
    Nearest,
    PictureLevels,
    nearest_patches,
)
from understudy.training.prototree import (  # noqa: E402
    InnerNode,
    ReadableTree,
    grow_from_patches,
)

torch.set_num_threads(1)


def _protopnet() -> MapNet:
    torch.manual_seed(0)
    return MapNet(SmallCnn((4, 4, 4, 8)), ProtoPNetHead(8, 3, n_each=2, n_latent=4)).eval()


def _tree(depth: int = 2) -> MapNet:
    torch.manual_seed(0)
    return MapNet(SmallCnn((4, 4, 4, 8)), ProtoTreeHead(8, 3, depth=depth, n_latent=4)).eval()


def test_a_pushed_prototype_is_a_patch_of_its_class() -> None:
    net, rows = _protopnet(), toy_rows(30)
    sources = protopnet.push(net, rows)
    head = protopnet.protopnet_head(net)
    for prototype, source in enumerate(sources):
        assert int(rows.labels[source.picture]) == int(head.prototype_labels[prototype])
        latents = head.latents(net.body(rows.plain(torch.tensor([source.picture]))))
        assert torch.allclose(latents[0, :, source.row, source.column], head.prototypes[prototype], atol=1e-6)


def test_prototypes_of_a_class_come_from_different_pictures() -> None:
    net, rows = _protopnet(), toy_rows(30)
    head = protopnet.protopnet_head(net)
    with torch.no_grad():
        head.prototypes[1] = head.prototypes[0]
    sources = protopnet.push(net, rows)
    assert sources[0].picture != sources[1].picture


def test_nearest_patches_are_those_of_a_plain_search() -> None:
    net, rows = _protopnet(), toy_rows(6)
    head, nearest = protopnet.protopnet_head(net), nearest_patches(net, rows)
    with torch.no_grad():
        latents = head.latents(net.body(rows.plain(torch.arange(6)))).flatten(2)
    prototypes = head.prototypes.detach()
    for picture in range(6):
        for prototype in range(6):
            apart = [float(((latents[picture, :, k] - prototypes[prototype]) ** 2).sum()) for k in range(16)]
            assert float(nearest.distances[picture, prototype]) == pytest.approx(min(apart), abs=1e-5)


def test_cluster_and_separation_are_means_of_smallest_distances() -> None:
    head = ProtoPNetHead(8, 2, n_each=2, n_latent=4)
    distances = torch.tensor([[1.0, 2.0, 5.0, 4.0], [3.0, 9.0, 7.0, 8.0]])
    near, far = protopnet.cluster_and_separation(distances, torch.tensor([0, 1]), head)
    assert (float(near), float(far)) == ((1.0 + 7.0) / 2, (4.0 + 3.0) / 2)


def test_pruning_drops_prototypes_near_other_classes_and_keeps_one_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    net, rows = _protopnet(), toy_rows(30)
    distances = torch.ones(30, 6)
    for prototype, nearest_label in enumerate([0, 1, 1, 1, 0, 0]):
        distances[rows.labels == nearest_label, prototype] = 0.1
    fixed = Nearest(distances, torch.zeros(30, 6, dtype=torch.long))
    monkeypatch.setattr(protopnet, "nearest_patches", lambda _net, _rows: fixed)
    is_kept = protopnet.prune(net, rows)
    # Both prototypes of class 2 are near class 0; the first stays, so that the class can still be explained.
    assert is_kept.tolist() == [True, False, True, True, True, False]
    assert protopnet.protopnet_head(net).weights.shape == (3, 4)


def test_the_last_layer_learns_from_similarities_alone() -> None:
    net, rows = _protopnet(), toy_rows(30)
    head = protopnet.protopnet_head(net)
    before, places = head.weights.detach().clone(), head.prototypes.detach().clone()
    protopnet.fit_last_layer(net, rows)
    assert not torch.equal(head.weights, before)
    assert torch.equal(head.prototypes, places)


def test_prototypes_are_pushed_after_so_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    pushed: list[int] = []
    monkeypatch.setattr(protopnet, "push", lambda _net, _rows: pushed.append(1))
    lesson = protopnet.ProtoPNetLesson(map_recipe("creatures-protopnet"), toy_rows(6), 4)
    for n_done in range(1, 10):
        lesson.after(_protopnet(), n_done)
    assert len(pushed) == 2


def test_leaves_gather_what_reaches_them() -> None:
    head = ProtoTreeHead(8, 2, depth=1, n_latent=4)
    head.evidence.copy_(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
    head.evidence_before.copy_(head.evidence)
    reached, labels = torch.tensor([[0.75, 0.25], [0.4, 0.6]]), [0, 1]
    leaves = head.leaves().tolist()
    expected = [[0.5, 0.0], [0.0, 1.0]]  # half of what was there, since the epoch has two batches
    for row, label in enumerate(labels):
        mixed = sum(float(reached[row, leaf]) * leaves[leaf][label] for leaf in range(2))
        for leaf in range(2):
            expected[leaf][label] += float(reached[row, leaf]) * leaves[leaf][label] / mixed
    prototree.update_leaves(head, reached, torch.tensor(labels), n_batches=2)
    for leaf in range(2):
        assert head.evidence[leaf].tolist() == pytest.approx(expected[leaf], abs=1e-5)


def test_pruning_lifts_the_sibling_of_an_uninformative_subtree() -> None:
    head = ProtoTreeHead(8, 3, depth=2, n_latent=4)
    head.evidence[0, 0] = head.evidence[2, 1] = head.evidence[3, 2] = 9
    tree = prototree.prune(head, 0.5)
    # Leaf 1 knows nothing, so node 1 goes, and leaf 0 follows the root directly.
    assert tree == ReadableTree((InnerNode(0, -1, 1), InnerNode(2, -2, -3)), (0, 2, 3))


def test_a_tree_that_learned_nothing_is_refused() -> None:
    with pytest.raises(MaterialsError, match=r"0 of 4 leaves.*Train for more epochs"):
        prototree.prune(ProtoTreeHead(8, 3, depth=2, n_latent=4), 0.5)


def test_a_tree_with_one_informative_leaf_is_refused() -> None:
    head = ProtoTreeHead(8, 3, depth=2, n_latent=4)
    head.evidence[0, 0] = 9
    with pytest.raises(MaterialsError, match="1 of 4 leaves"):
        prototree.prune(head, 0.5)


def test_greedy_reading_follows_one_path() -> None:
    tree = ReadableTree((InnerNode(0, -1, 1), InnerNode(2, -2, -3)), (0, 2, 3))
    similar = torch.tensor([[0.2, 0.9], [0.8, 0.4], [0.8, 0.7], [0.5, 0.9]])
    assert prototree.greedy_leaves(similar, tree).tolist() == [0, 1, 2, 0]


def test_a_projected_prototype_is_the_nearest_patch_of_all_pictures() -> None:
    net, rows = _tree(), toy_rows(12)
    head = prototree.tree_head(net)
    smallest = nearest_patches(net, rows).distances.amin(0)
    before = head.prototypes.detach().clone()
    prototree.project(net, rows)
    moved = (head.prototypes - before).square().sum(1)
    assert torch.allclose(moved, smallest, atol=1e-5)


def test_a_tree_starts_with_half_of_the_pictures_on_each_side() -> None:
    generator = torch.Generator().manual_seed(0)
    levels = torch.randint(0, 256, (41, 3, 2, 2), generator=generator).to(torch.uint8)
    rows = PictureLevels(levels, torch.arange(41) % 3)
    head = ProtoTreeHead(3, 3, depth=2, n_latent=4)
    head.add_on[0].weight.data = 6 * torch.rand(4, 3, 1, 1, generator=generator) - 3
    net = MapNet(torch.nn.Identity(), head)
    prototree.start_at_patches(net, rows, generator)
    distances = nearest_patches(net, rows).distances.sqrt()
    similar = torch.exp(-head.log_scales.detach().exp() * distances).median(0).values
    assert torch.allclose(similar, torch.tensor(0.5), atol=1e-3)


def test_a_grown_tree_separates_classes_that_one_patch_each_tells_apart() -> None:
    # Class k is the only one with a place whose channel k is bright.
    labels = torch.arange(60) % 3
    levels = torch.zeros(60, 3, 4, 4, dtype=torch.uint8)
    levels[torch.arange(60), labels, labels, 0] = 255
    head = ProtoTreeHead(3, 3, depth=2, n_latent=3)
    head.add_on[0].weight.data = 8 * torch.eye(3)[:, :, None, None]
    net = MapNet(torch.nn.Identity(), head)
    rows = PictureLevels(levels, labels)
    grow_from_patches(net, rows, torch.Generator().manual_seed(0))
    is_present = nearest_patches(net, rows).distances.sqrt() * head.log_scales.exp() <= torch.tensor(2.0).log() + 1e-4
    second = is_present[:, 1:].gather(1, is_present[:, :1].long()).flatten()
    leaves = 2 * is_present[:, 0].long() + second.long()
    for leaf in leaves.unique().tolist():
        assert len(labels[leaves == leaf].unique()) == 1
