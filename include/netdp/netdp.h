/* netdp: network differential privacy. Every public header. */
#ifndef NETDP_H
#define NETDP_H

#include <netdp/account.h>
#include <netdp/audit.h>
#include <netdp/claim.h>
#include <netdp/graph.h>
#include <netdp/learn.h>
#include <netdp/mixing.h>
#include <netdp/model.h>
#include <netdp/noise.h>
#include <netdp/privacy.h>
#include <netdp/protocol.h>
#include <netdp/question.h>
#include <netdp/random.h>
#include <netdp/simulate.h>
#include <netdp/status.h>
#include <netdp/study.h>
#include <netdp/tally.h>
#include <netdp/walk.h>

#endif
