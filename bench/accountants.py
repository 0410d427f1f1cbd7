#!/usr/bin/python3
"""Other accountants' published source beside netdp: values and CPU seconds (docs/benchmarks.md).

    PYTHONPATH=build/python/package python3 bench/accountants.py DIFFERENTIAL_PRIVACY OPACUS PRV_ACCOUNTANT

The three are checkouts of google/differential-privacy, pytorch/opacus and microsoft/prv_accountant, which are not part of
netdp. Needs python3-attr, python3-absl, python3-scipy and python3-mpmath; of Opacus only its accountants are loaded, without torch.
"""
import sys, time, types, warnings
warnings.simplefilter("ignore")
sys.path[:0] = [sys.argv[1] + '/python/dp_accounting', sys.argv[3]]
m=types.ModuleType('opacus'); m.__path__=[sys.argv[2] + '/opacus']; sys.modules['opacus']=m
o=types.ModuleType('opacus.optimizers'); o.DPOptimizer=object; sys.modules['opacus.optimizers']=o
a=types.ModuleType('opacus.accountants'); a.__path__=[sys.argv[2] + '/opacus/accountants']; sys.modules['opacus.accountants']=a
import netdp, dp_accounting as d
from dp_accounting import pld, rdp
from opacus.accountants.rdp import RDPAccountant
from opacus.accountants.prv import PRVAccountant
from opacus.accountants.gdp import GaussianAccountant
from prv_accountant import PRVAccountant as MS, PoissonSubsampledGaussianMechanism
E=d.dp_event
def clock(f):
    t=time.process_time()
    try: v=f()
    except Exception as e: v=type(e).__name__+str(e)[:40]
    return v, time.process_time()-t
for (s,q,T,D) in [(1.1,.01,10000,1e-5),(0.8,.005,1000,1e-6),(1.5,.04,2250,1e-5),(2,1.0,3,1e-5),(0.5,1e-5,1000000,1e-8)]:
    print("==",s,q,T,D)
    w=f"subsampled-gaussian:{s},{q} x{T}" if q<1 else f"gaussian:{s} x{T}"
    print("netdp upper", *clock(lambda: float(netdp.convert(w,f"dp:{D!r}"))))
    print("netdp lower", *clock(lambda: float(netdp.convert(w,f"dp:{D!r}",lower=True))))
    ev=E.SelfComposedDpEvent(E.PoissonSampledDpEvent(q,E.GaussianDpEvent(s)) if q<1 else E.GaussianDpEvent(s),T)
    print("dpa pld", *clock(lambda: pld.PLDAccountant().compose(ev).get_epsilon(D)))
    print("dpa rdp", *clock(lambda: rdp.RdpAccountant().compose(ev).get_epsilon(D)))
    for n,c in (("opacus prv",PRVAccountant),("opacus rdp",RDPAccountant),("opacus gdp",GaussianAccountant)):
        A=c(); A.history=[(s,q,T)]
        print(n, *clock(lambda: A.get_epsilon(delta=D)))
    print("prv_accountant", *clock(lambda: MS(prvs=PoissonSubsampledGaussianMechanism(sampling_probability=q,noise_multiplier=s),max_self_compositions=T,eps_error=.01,delta_error=D/1000).compute_epsilon(D,T)))
    sys.stdout.flush()
