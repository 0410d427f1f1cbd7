/* How a participant stands, for people and for Prometheus: what it waits for, and what was spent. */
#include "peer/participant/participant_base.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* ---- Waiting ---- */

/* A neighbour whose link is down, and that is waited for; -1: there is none. */
static int32_t find_lost_link(const netdp_i_participant *p, bool silent)
{
    for (int32_t i = 0; i < p->sides; i++)
        if (!p->side[i].greeted && (silent || !netdp_i_rounds_heard(p->rounds, i)))
            return p->link[i].neighbour;
    return -1;
}

__attribute__((format(printf, 4, 5))) static void
wait_for(netdp_i_waiting *wait, const char *what, const char *member, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(wait->says, sizeof wait->says, format, arguments);
    va_end(arguments);
    wait->what = what;
    wait->member = member;
}

static void wait_for_end(const netdp_i_participant *p, netdp_i_waiting *wait)
{
    for (int32_t i = 0; i < p->sides; i++)
        if (!p->side[i].done) {
            const char *name = netdp_i_participant_name(p, p->link[i].neighbour);
            wait_for(wait, "finish", name, "%s to finish", name);
        }
}

static void wait_for_message(const netdp_i_participant *p, netdp_i_waiting *wait)
{
    for (int32_t i = 0; i < p->sides; i++)
        if (!netdp_i_rounds_heard(p->rounds, i)) {
            const char *name = netdp_i_participant_name(p, p->link[i].neighbour);
            wait_for(wait, "message", name, "the message of %s", name);
        }
}

/* A link that is down comes first: over it there comes neither key nor vector. */
void netdp_i_waiting_find(const netdp_i_participant *p, netdp_i_waiting *wait)
{
    const bool silent = p->spoken <= netdp_i_rounds_now(p->rounds);
    const int32_t lost = find_lost_link(p, silent);
    const int32_t partner = silent ? netdp_i_missing_partner(p) : -1;
    *wait = (netdp_i_waiting){.what = "", .member = ""};
    if (p->finished) {
        wait_for_end(p, wait);
    } else if (lost >= 0) {
        const char *name = netdp_i_participant_name(p, lost);
        wait_for(wait, "connection", name, "a connection to %s", name);
    } else if (partner >= 0) {
        const char *name = netdp_i_participant_name(p, partner);
        wait_for(wait, "pair-key", name, "the pair key of %s", name);
    } else if (!silent && netdp_i_participant_released(p) < p->spoken) {
        wait_for(wait, "slot", "", "the next time slot");
    } else if (silent && netdp_i_own_waits(p->own) >= 0) {
        wait_for(wait, "program", "", "the time of the program's answer for phase %" PRId64,
                 netdp_i_own_waits(p->own));
    } else {
        wait_for_message(p, wait);
    }
}

/* ---- What was spent ---- */

struct netdp_i_measures {
    netdp_i_account account;
    double delta;
    double *limit;   /* [account.count]: of the budget; infinite: none */
    double *epsilon; /* [account.count], of `known` contributions */
    int64_t known;   /* contributions of this study that are reserved; -1: not yet asked */
};

netdp_status netdp_i_measures_new(netdp_i_participant *p, const netdp_i_budget *budget,
                                  netdp_i_account *account)
{
    netdp_i_measures *made = NETDP_I_NEW(netdp_i_measures, 1);
    if (made == NULL) {
        netdp_i_account_clear(account);
        return netdp_i_no_memory(p->error);
    }
    *made = (netdp_i_measures){.account = *account,
                               .delta = budget != NULL ? budget->delta : p->package->terms.delta,
                               .limit = NETDP_I_NEW(double, account->count),
                               .epsilon = NETDP_I_NEW(double, account->count),
                               .known = -1};
    *account = (netdp_i_account){0};
    p->measures = made;
    if (made->limit == NULL || made->epsilon == NULL)
        return netdp_i_no_memory(p->error);
    for (int32_t i = 0; i < made->account.count; i++)
        made->limit[i] =
            budget != NULL ? netdp_i_budget_limit(budget, &made->account, &made->account.towards[i])
                           : INFINITY;
    return NETDP_OK;
}

void netdp_i_measures_free(netdp_i_measures *measures)
{
    if (measures == NULL)
        return;
    netdp_i_account_clear(&measures->account);
    netdp_i_free(measures->limit);
    netdp_i_free(measures->epsilon);
    netdp_i_free(measures);
}

/* A gauge of one observer. Their number is that of members and of coalitions that studies list. */
static void write_epsilon(FILE *stream, const char *name, const char *observer, double value)
{
    fprintf(stream, "netdp_peer_%s_epsilon{observer=\"%s\"} ", name, observer);
    if (isinf(value))
        fputs("+Inf\n", stream);
    else
        fprintf(stream, "%.17g\n", value);
}

/* What reserved contributions of all studies may have told, and what the owner allows. */
static void write_spent(const netdp_i_participant *p, FILE *stream)
{
    netdp_i_measures *m = p->measures;
    int64_t reserved = 0;
    bool settled;
    if (netdp_i_ledger_count(p->ledger, p->attempt.study, &reserved, &settled, NULL) != NETDP_OK)
        return; /* the next time, perhaps */
    fprintf(stream, "# TYPE netdp_peer_spent_epsilon gauge\n");
    for (int32_t i = 0; i < m->account.count; i++) {
        const netdp_i_spent *spent = &m->account.towards[i];
        if (m->known != reserved)
            m->epsilon[i] = netdp_i_account_epsilon(&m->account, spent, reserved, m->delta);
        write_epsilon(stream, "spent", spent->who, m->epsilon[i]);
    }
    m->known = reserved;
    fprintf(stream, "# TYPE netdp_peer_budget_epsilon gauge\n");
    for (int32_t i = 0; i < m->account.count; i++)
        write_epsilon(stream, "budget", m->account.towards[i].who, m->limit[i]);
    fprintf(stream, "netdp_peer_budget_delta %.17g\n", m->delta);
}

/* ---- Metrics ---- */

static void write_waiting(const netdp_i_participant *p, FILE *stream)
{
    static const char *const words[] = {"connection", "pair-key", "slot",
                                        "program",    "message",  "finish"};
    netdp_i_waiting wait;
    netdp_i_waiting_find(p, &wait);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const bool is = strcmp(words[k], wait.what) == 0;
        fprintf(stream, "netdp_peer_waiting{for=\"%s\",member=\"%s\"} %d\n", words[k],
                is ? wait.member : "", is);
    }
}

void netdp_i_measures_write(void *context, FILE *stream)
{
    const netdp_i_participant *p = context;
    int32_t up = 0;
    for (int32_t i = 0; i < p->sides; i++)
        up += p->side[i].greeted;
    fprintf(stream, "netdp_peer_round %" PRId64 "\nnetdp_peer_rounds %" PRId64 "\n",
            netdp_i_rounds_now(p->rounds), p->task.protocol.rounds);
    fprintf(stream, "netdp_peer_finished %d\nnetdp_peer_test_mode %d\n", p->finished,
            p->settings.test);
    fprintf(stream, "netdp_peer_links %d\nnetdp_peer_links_up %d\n", (int)p->sides, (int)up);
    fprintf(stream, "netdp_peer_lost_vectors_total %" PRId64 "\n", p->lost);
    fprintf(stream, "netdp_peer_still_seconds %" PRId64 "\n", netdp_i_boot_seconds() - p->moved);
    write_waiting(p, stream);
    if (p->measures != NULL)
        write_spent(p, stream);
    if (p->transport != NULL) {
        const netdp_i_transport_counts counts = netdp_i_transport_count(p->transport);
        fprintf(stream, "netdp_peer_handshakes_total %" PRIu64 "\n", counts.handshakes);
        fprintf(stream, "netdp_peer_sent_bytes_total %" PRIu64 "\n", counts.sent);
        fprintf(stream, "netdp_peer_received_bytes_total %" PRIu64 "\n", counts.received);
    }
    for (int k = 1; k < NETDP_I_REFUSALS_COUNT; k++)
        fprintf(stream, "netdp_peer_refused_total{reason=\"%s\"} %" PRIu64 "\n",
                netdp_i_refusal_word((netdp_i_refusal)k), p->refused[k]);
}
