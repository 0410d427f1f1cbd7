#!/usr/bin/env python3
"""A convolutional network learnt by sixteen nodes that gossip: digits of scikit-learn at 28x28, one image protected.

Pairwise noise: epsilon 2 at delta 1e-5 for each image, towards every other node. Beside it the same without noise, and a
trusted aggregator with noise at the same epsilon. Needs torch and scikit-learn.

    python3 digits_cnn.py [PHASES]
"""
import resource
import sys
import time

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import netdp

NODES, INNER, CHANNELS, KERNEL, STRIDE, POOL = 16, 16, 8, 5, 2, 4
SIDE = (28 - KERNEL) // STRIDE + 1  # 12, pooled to 3
SHAPES = [(CHANNELS, KERNEL * KERNEL), (CHANNELS,), (10, CHANNELS * (SIDE // POOL) ** 2), (10,)]
WIDTH = sum(int(np.prod(shape)) for shape in SHAPES)


def images():
    """Training images as [nodes][rows] of patches, and the test's: 8x8 digits, stretched."""
    digits = load_digits()
    pictures = torch.from_numpy(digits.images / 16 - 0.3).unsqueeze(1)
    pictures = torch.nn.functional.interpolate(pictures, size=(28, 28), mode="bilinear", align_corners=False)
    patches = torch.nn.functional.unfold(pictures, KERNEL, stride=STRIDE)  # [images][25][144]
    train, test = train_test_split(np.arange(len(patches)), test_size=0.2, random_state=1, stratify=digits.target)
    rows = len(train) // NODES
    train = train[: NODES * rows]
    label = torch.from_numpy(digits.target)
    return patches[train], label[train], patches[test], label[test], rows


def network(parameters, patches):
    """The logits of each image, by parameters of its own: [images][WIDTH], [images][25][144]."""
    kernel, bias, weight, offset = [part.reshape(-1, *shape) for part, shape in zip(
        parameters.split([int(np.prod(shape)) for shape in SHAPES], dim=1), SHAPES)]
    seen = torch.relu(torch.bmm(kernel, patches) + bias.unsqueeze(2))  # a convolution, patch by patch
    seen = torch.nn.functional.avg_pool2d(seen.reshape(-1, CHANNELS, SIDE, SIDE), POOL).flatten(1)
    return torch.bmm(weight, seen.unsqueeze(2)).squeeze(2) + offset


def gradient_of(patches, label, rows):
    """What netdp asks: the models of all nodes in, the gradient of every image out, [nodes][rows][WIDTH]."""

    def gradient(models):
        each = models.repeat_interleave(rows, dim=0).requires_grad_()
        torch.nn.functional.cross_entropy(network(each, patches), label, reduction="sum").backward()
        return each.grad.reshape(len(models), rows, WIDTH)

    return gradient


def first_model():
    """Public: everybody begins with it."""
    random = np.random.default_rng(1)
    parts = [random.normal(0, np.sqrt(2 / shape[-1]) if len(shape) == 2 else 0, shape) for shape in SHAPES]
    return np.concatenate([part.ravel() for part in parts])


def learn(phases=100, clip=1.0, step=2.0, runs=3):
    patches, label, other, truth, rows = images()
    gradient = gradient_of(patches, label, rows)

    def accuracy(models):
        found = [network(torch.from_numpy(model).expand(len(other), -1), other).argmax(1) for model in np.atleast_2d(models)]
        return float(np.mean([(one == truth).double().mean() for one in found]))

    settings = dict(protocol="muffliato-sgd", rounds=INNER * phases, inner=INNER, protects="row", pair_graph="complete", pair_noise=10.0,
                    dither=0.1, end_dither=0.1)
    found = netdp.calibrate("hypercube 4", target=2, as_="dp:1e-5", over="worst", **settings)
    asked = dict(gradient=gradient, start=first_model(), step=step, clip=clip, rows=rows, torch=True)
    start = time.process_time()
    gossip = [netdp.simulate("hypercube 4", noise=found.noise, seed=seed, **asked, **settings) for seed in range(1, runs + 1)]
    seconds = (time.process_time() - start) / runs
    # Noise so small that it changes nothing: no privacy.
    bare = netdp.simulate("hypercube 4", noise=1e-9, **asked, **{**settings, "pair_noise": 0.0, "dither": 0.0, "end_dither": 0.0})
    # A trusted aggregator: gradients of all images, clipped, one noise for the mean of each phase.
    sigma = np.sqrt(phases) * float(netdp.convert("dp:2,1e-5", "sigma"))
    central = []
    for seed in range(runs):
        random, model = np.random.default_rng(seed), first_model()
        for _ in range(phases):
            each = gradient(torch.from_numpy(np.tile(model, (NODES, 1)))).reshape(-1, WIDTH).numpy()
            each *= np.minimum(1, clip / np.linalg.norm(each, axis=1))[:, np.newaxis]
            model -= step * (each.mean(axis=0) + 2 * clip / len(each) * sigma * random.normal(size=WIDTH))
        central.append(accuracy(model))
    # Of all nodes, and of all runs: each node uses its own model.
    return {"gossip, pairwise noise": [accuracy(made.models) for made in gossip],
            "their mean model": [accuracy(made.mean) for made in gossip], "trusted aggregator": central,
            "gossip without privacy": [accuracy(bare.models)]}, gossip[0], found, seconds


if __name__ == "__main__":
    phases = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    start = time.monotonic()
    accuracies, models, found, seconds = learn(phases)
    print(f"{NODES} nodes, {WIDTH} parameters, {phases} phases; noise {found.noise:.4g}")
    for name, value in accuracies.items():
        print(f"{name:<24} {np.mean(value):.3f}  ({min(value):.3f} to {max(value):.3f})")
    print(models)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"gossip with noise: {seconds:.1f} s of the processor a run; all: {used.ru_utime + used.ru_stime:.1f} s, "
          f"{time.monotonic() - start:.1f} s by the clock", file=sys.stderr)
