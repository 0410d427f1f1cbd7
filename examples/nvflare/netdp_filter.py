"""A filter for NVFLARE's task results: the site's update leaves clipped, with noise, and counted against a budget in a file.

    "task_result_filters": [{"tasks": ["train"], "filters": [{"path": "netdp_filter.NetdpFilter",
      "args": {"budget": "budget.sqlite", "epsilon": 4, "delta": 1e-6, "clip": 1.0, "noise": 10.0}}]}]

Protected is the site's whole data, replaced by any other, from everyone who sees what it sends: the server is not trusted.
Only a difference of weights (DataKind WEIGHT_DIFF) passes. Everything else, and every update beyond the budget, is blocked as NVFLARE
has it: ContentBlockedException, so that nothing is sent. nvflare 2.4 and later.
"""
from nvflare.apis.dxo import DataKind, MetaKey, from_shareable
from nvflare.apis.filter import ContentBlockedException, Filter
from nvflare.apis.fl_constant import ReturnCode

import netdp


class NetdpFilter(Filter):
    """`noise` is in units of the sensitivity, which is 2 clip. `steps`: the weight that is told, for it is public."""

    def __init__(self, budget, epsilon, delta, clip, noise, steps=1):
        super().__init__()
        self.guard = netdp.Mechanism(budget, epsilon=epsilon, delta=delta)
        self.clip, self.noise, self.steps = clip, noise, steps

    def process(self, shareable, fl_ctx):
        if shareable.get_return_code() != ReturnCode.OK:
            return shareable
        try:
            dxo = from_shareable(shareable)
        except ValueError as wrong:
            raise ContentBlockedException(f"netdp: {wrong}") from None
        if dxo.data_kind != DataKind.WEIGHT_DIFF:
            raise ContentBlockedException(f"netdp: {dxo.data_kind} is not covered; send a {DataKind.WEIGHT_DIFF}")
        try:
            noisy = self.guard.update(list(dxo.data.values()), clip=self.clip, noise=self.noise)
        except netdp.Error as refused:
            raise ContentBlockedException(f"netdp: {refused}") from None
        dxo.data = dict(zip(dxo.data, noisy))
        spent = self.guard.spent
        dxo.meta = {MetaKey.NUM_STEPS_CURRENT_ROUND: self.steps, "netdp_epsilon": spent.epsilon, "netdp_delta": spent.delta,
                    "netdp_releases": spent.releases}
        self.log_info(fl_ctx, f"netdp: spent epsilon {spent.epsilon:.6g} at delta {spent.delta:g} in {spent.releases} releases")
        return dxo.update_shareable(shareable)
