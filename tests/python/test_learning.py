"""The examples that learn: a convolutional network in torch, and a classifier as scikit-learn has them."""
import os
import pathlib
import sys

import pytest

FOLDER = pathlib.Path(os.environ["NETDP_SOURCE"], "examples", "learning")


@pytest.fixture(autouse=True)
def there(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def test_network_on_digits():
    pytest.importorskip("torch")
    pytest.importorskip("sklearn")
    digits = __import__("digits_cnn")
    accuracies, models, found, seconds = digits.learn(100, runs=2)
    accuracies = {name: sum(values) / len(values) for name, values in accuracies.items()}
    print(accuracies, f"{seconds:.1f} s of the processor", file=sys.stderr)
    assert models.steps == 100 and models.dropped == 0
    assert models.sensitivity == pytest.approx(2 * 1.0 / 89)
    assert "one row" in models.assumes and found.achieved.worst <= 2
    # Chance is 0.1. What privacy costs, towards nobody who is trusted, is near to what it costs with a trusted aggregator.
    assert accuracies["gossip without privacy"] > 0.8
    assert accuracies["gossip, pairwise noise"] > 0.7
    assert accuracies["gossip, pairwise noise"] > accuracies["trusted aggregator"] - 0.1


def test_per_image_gradients_are_right():
    torch = pytest.importorskip("torch")
    pytest.importorskip("sklearn")
    digits = __import__("digits_cnn")
    patches, label, _, _, rows = digits.images()
    gradient = digits.gradient_of(patches, label, rows)
    models = torch.from_numpy(digits.first_model()).repeat(digits.NODES, 1)
    found = gradient(models)[3, 5]
    pick = slice(3 * rows + 5, 3 * rows + 6)

    def loss(model):
        return torch.nn.functional.cross_entropy(digits.network(model[None], patches[pick]), label[pick]).item()

    for k in range(0, digits.WIDTH, 97):
        moved = models[3].clone()
        moved[k] += 1e-6
        assert found[k].item() == pytest.approx((loss(moved) - loss(models[3])) / 1e-6, abs=1e-4)


def test_classifier_as_scikit_learn_has_it():
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    made = __import__("gossip_classifier").GossipClassifier
    inputs, labels = load_digits(return_X_y=True)
    train, test, mine, truth = train_test_split(inputs / 16 - 0.3, labels, test_size=0.2, random_state=1, stratify=labels)
    model = clone(made(bound=4.0)).fit(train, mine)
    assert model.score(test, truth) > 0.8 and "one row" in model.guarantee_
    names = model.__class__(graph="ring 8", bound=4.0, phases=5).fit(train, mine.astype(str)).predict(test)
    assert set(names) <= set("0123456789")
    line = make_pipeline(FunctionTransformer(), made(graph="complete 4", bound=4.0, phases=5)).fit(train, mine)
    assert line.predict(test).shape == truth.shape


def test_processes_of_torch_are_the_simulator():
    torch = pytest.importorskip("torch")
    if not torch.distributed.is_available():
        pytest.skip("torch has no torch.distributed")
    ddp = __import__("gossip_ddp")
    import netdp
    import numpy as np

    wanted = np.stack([ddp.target(node).numpy() for node in range(ddp.NODES)])
    for seed in (1, 7):
        want = netdp.simulate(ddp.GRAPH, gradient=lambda models: models - wanted, start=np.zeros(5), step=0.2, clip=1.0, noise=1.5,
                              seed=seed, **ddp.SETTINGS).models
        got = ddp.run(1.5, seed)
        assert np.abs(got - want).max() < 1e-12
    assert np.abs(ddp.run(1.5) - want).max() > 1e-3  # without a seed, other noise
