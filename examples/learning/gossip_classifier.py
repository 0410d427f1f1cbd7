#!/usr/bin/env python3
"""Softmax regression by gossip, as scikit-learn has it: fit, predict, score, in pipelines and in searches.

Rows are partitioned over nodes, and one row is what is protected. Needs scikit-learn.
"""
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y

import netdp


class GossipClassifier(ClassifierMixin, BaseEstimator):
    """Everyone ends with a model of its own; predictions are by their mean. `guarantee_` says what is guaranteed.

    Inputs are cut to length `bound`, which like the classes and the number of rows is public.
    """

    def __init__(self, graph="hypercube 4", epsilon=2.0, delta=1e-5, phases=60, inner=8, step=4.0, clip=1.0, bound=1.0,
                 pair_noise=10.0, seed=1):
        self.graph, self.epsilon, self.delta, self.phases, self.inner = graph, epsilon, delta, phases, inner
        self.step, self.clip, self.bound, self.pair_noise, self.seed = step, clip, bound, pair_noise, seed

    def _inputs(self, X):
        X = check_array(X, dtype=np.float64)
        X = X * np.minimum(1, self.bound / np.maximum(np.linalg.norm(X, axis=1), 1e-300))[:, np.newaxis]
        return np.hstack([X, np.full((len(X), 1), self.bound)])

    def fit(self, X, y):
        X, y = check_X_y(X, y)
        self.classes_, label = np.unique(y, return_inverse=True)
        self.n_features_in_ = X.shape[1]
        network = netdp.graph(self.graph)
        nodes, kinds = network.nodes, len(self.classes_)
        rows = len(X) // nodes
        if rows < 1:
            raise ValueError(f"{len(X)} rows are too few for {nodes} nodes")
        order = np.random.default_rng(self.seed).permutation(len(X))[: nodes * rows]
        given = self._inputs(X)[order].reshape(nodes, rows, -1)
        wanted = np.eye(kinds)[label[order]].reshape(nodes, rows, kinds)

        def gradient(models):
            score = given @ models.reshape(nodes, -1, kinds)
            chance = np.exp(score - score.max(axis=2, keepdims=True))
            chance /= chance.sum(axis=2, keepdims=True)
            return (given[:, :, :, np.newaxis] * (chance - wanted)[:, :, np.newaxis, :]).reshape(nodes, rows, -1)

        settings = dict(protocol="muffliato-sgd", rounds=self.phases * self.inner, inner=self.inner, protects="row",
                        pair_graph="complete", pair_noise=self.pair_noise, dither=0.1, end_dither=0.1)
        self.noise_ = netdp.calibrate(network, target=self.epsilon, as_=f"dp:{self.delta!r}", over="worst", **settings).noise
        made = netdp.simulate(network, gradient=gradient, start=np.zeros(given.shape[2] * kinds), step=self.step, clip=self.clip,
                              noise=self.noise_, rows=rows, seed=self.seed, **settings)
        self.models_, self.guarantee_ = made.models.reshape(nodes, -1, kinds), made.assumes
        return self

    def decision_function(self, X):
        check_is_fitted(self)
        return self._inputs(X) @ self.models_.mean(axis=0)

    def predict(self, X):
        return self.classes_[self.decision_function(X).argmax(axis=1)]


if __name__ == "__main__":
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    inputs, labels = load_digits(return_X_y=True)
    train, test, mine, truth = train_test_split(inputs / 16 - 0.3, labels, test_size=0.2, random_state=1, stratify=labels)
    model = GossipClassifier(bound=4.0).fit(train, mine)
    print(f"gossip, epsilon {model.epsilon:g} for each row: {model.score(test, truth):.3f}")
    print(f"without privacy, in one place: {LogisticRegression(max_iter=1000).fit(train, mine).score(test, truth):.3f}")
    print(model.guarantee_)
