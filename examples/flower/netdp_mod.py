"""A mod for Flower's ClientApp: the client's update leaves clipped, with noise, and counted against a budget in a file.

    from flwr.clientapp import ClientApp
    from netdp_mod import NetdpMod

    app = ClientApp(mods=[NetdpMod("budget.sqlite", epsilon=4, delta=1e-6, clip=1.0, noise=10.0)])

Protected is the client's whole data, replaced by any other, from everyone who sees what it sends: the server is not trusted.
The mod reads only what flwr publishes of a message (flwr.clientapp.typing.Mod; flwr 1.21 and later), and imports nothing of it. What it
does not cover: evaluation, queries, logs, and metrics that leave by another way. Beyond the budget it raises netdp.NoAnswer, which
Flower reports to the server as the reply's error; nothing of that round's update is sent.
"""
import numpy as np

import netdp


class NetdpMod:
    """Mod: callable of a message, a context and what comes next. `noise` is in units of the sensitivity, which is 2 clip.

    The metrics of the reply are replaced: by `examples`, the public weight of this client, and by what was spent so far, which no
    data is in; the server's log of the round shows it.
    """

    def __init__(self, budget, *, epsilon, delta, clip, noise, examples=1, weight="num-examples"):
        self.guard = netdp.Mechanism(budget, epsilon=epsilon, delta=delta)
        self.clip, self.noise, self.examples, self.weight = clip, noise, examples, weight

    def __call__(self, message, context, call_next):
        if not message.metadata.message_type.startswith("train"):
            return call_next(message, context)
        received = {key: array.numpy() for record in message.content.array_records.values() for key, array in record.items()}
        reply = call_next(message, context)
        if reply.has_error():
            return reply
        if len(reply.content.array_records) != 1 or len(reply.content.config_records) != 0:
            raise netdp.Invalid("a reply to training must be one record of arrays, and metrics")
        name, record = next(iter(reply.content.array_records.items()))
        trained = {key: array.numpy() for key, array in record.items()}
        if set(trained) != set(received):
            raise netdp.Invalid("the reply's arrays are others than those that came")
        moved = [key for key in trained if received[key].dtype.kind == "f"]
        noisy = self.guard.update([trained[key].astype(received[key].dtype) - received[key] for key in moved],
                                  clip=self.clip, noise=self.noise)
        received.update((key, received[key] + change) for key, change in zip(moved, noisy))
        array = type(next(iter(record.values())))
        reply.content.array_records[name] = type(record)({key: array(np.ascontiguousarray(received[key])) for key in record})
        spent = self.guard.spent
        public = {self.weight: self.examples, "netdp-epsilon": spent.epsilon, "netdp-delta": spent.delta,
                  "netdp-releases": spent.releases}
        for metrics in reply.content.metric_records.values():
            metrics.clear()
            metrics.update(public)
        return reply
