/* netdp: network differential privacy. Every public header. */
#ifndef NETDP_H
#define NETDP_H

#include <netdp/account.h>
#include <netdp/amplification.h>
#include <netdp/audit.h>
#include <netdp/centrality.h>
#include <netdp/claim.h>
#include <netdp/closed.h>
#include <netdp/communicability.h>
#include <netdp/convergence.h>
#include <netdp/convert.h>
#include <netdp/data.h>
#include <netdp/drawn.h>
#include <netdp/events.h>
#include <netdp/figure.h>
#include <netdp/gamma.h>
#include <netdp/graph.h>
#include <netdp/guarantee.h>
#include <netdp/learn.h>
#include <netdp/mixing.h>
#include <netdp/noise.h>
#include <netdp/progress.h>
#include <netdp/protection.h>
#include <netdp/protocol.h>
#include <netdp/quiet.h>
#include <netdp/random.h>
#include <netdp/realised.h>
#include <netdp/report.h>
#include <netdp/sequence.h>
#include <netdp/simulate.h>
#include <netdp/status.h>
#include <netdp/study.h>
#include <netdp/tally.h>
#include <netdp/tally_account.h>
#include <netdp/tally_simulate.h>
#include <netdp/token.h>
#include <netdp/transition.h>
#include <netdp/walk.h>
#include <netdp/words.h>

#endif
