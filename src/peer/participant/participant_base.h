/* What the files of a participant share: participant.c runs it, links.c talks to its neighbours, books.c
 * reads and keeps its folder, own.c asks a program of its own, measures.c says how it stands. */
#ifndef NETDP_I_PEER_PARTICIPANT_BASE_H
#define NETDP_I_PEER_PARTICIPANT_BASE_H

#include <stdio.h>
#include <uv.h>

#include "peer/budget.h"
#include "peer/draws.h"
#include "peer/ledger.h"
#include "peer/link/limits.h"
#include "peer/link/transport.h"
#include "peer/link/metrics.h"
#include "peer/package.h"
#include "peer/rounds.h"
#include "peer/settings.h"
#include "peer/task.h"

typedef struct netdp_i_own netdp_i_own;           /* own.c */
typedef struct netdp_i_measures netdp_i_measures; /* measures.c */

/* No frame but a vector is longer. */
enum { NETDP_I_CONNECTION_FRAME = 256 };

/* What is known of one neighbour. */
typedef struct netdp_i_side {
    bool greeted, done; /* done: its result is there */
    bool spoke;         /* since its connection stands a frame came, or it was refused */
    int64_t next;       /* the round of its vector that comes next */
    int64_t send;       /* the round of this peer's that it is sent next, */
    int64_t most;       /* no later than this one: it has room for two rounds */
    int64_t acked;      /* the rounds before this one are over there */
    netdp_i_quota quota;
    int64_t unlogged; /* lines that were not written on its account */
} netdp_i_side;

typedef struct netdp_i_participant {
    const char *folder;
    FILE *log;
    netdp_error *error;
    netdp_status status; /* how it ends */
    uv_loop_t loop;
    uv_timer_t tick, slot;
    uv_check_t check; /* after all that came at once */
    uv_signal_t interrupt, terminate;
    netdp_i_package *package;
    netdp_i_signer *signer;
    netdp_i_ephemeral *ephemeral; /* until the contribution is stored */
    netdp_i_settings settings;
    netdp_i_task task;
    netdp_i_ledger *ledger;
    netdp_i_rounds *rounds;
    netdp_i_transport *transport;
    netdp_i_metrics *metrics;
    netdp_i_own *own; /* of a model of one's own, or NULL */
    netdp_i_noise_source drawing;
    netdp_i_attempt attempt;
    netdp_i_link *link; /* [sides] */
    netdp_i_side *
        side; /* [sides], as rounds numbers neighbours; two more: strangers, and what it waits for */
    int32_t sides;
    netdp_i_offer *offer; /* [members] */
    bool *offered;        /* [members]: whose is there */
    int64_t spoken; /* this peer's vectors of the rounds before this one are stored as they leave */
    int64_t released;     /* with slots: those before this one may leave, */
    int64_t lost;         /* vectors of neighbours that were dropped */
    int64_t made;         /* ms of the boot clock when the last of them was */
    uint8_t *frame;       /* [frame_bytes]: one of them, and room for its checksum; */
    int64_t framed;       /* of that round; -1: none */
    uint8_t *shown_frame; /* a head and the contribution behind it, as they leave together */
    size_t frame_bytes;
    netdp_i_shown_head shown;   /* the last head of its ledger that it signed */
    double *numbers;            /* [width] of a frame that came */
    json_t *account;            /* what it costs, as the result says it; NULL in test mode */
    netdp_i_measures *measures; /* what was spent, for the metrics; NULL in test mode */
    int transcript;             /* -1: none is kept */
    int frames;                 /* a file of them; -1: not yet open */
    bool unsynced; /* it has one that the ledger has not, and that a power cut may take */
    bool finished, ending;
    bool looks;    /* it starts nothing, and writes nothing */
    bool ready;    /* as systemd knows */
    int64_t moved; /* seconds of CLOCK_BOOTTIME when something last did */
    char waiting[128];
    uint64_t refused[NETDP_I_REFUSALS_COUNT];
} netdp_i_participant;

/* ---- participant.c ---- */

/* Counts the time that a machine sleeps, too. */
int64_t netdp_i_boot_seconds(void);

/* The rounds before this one may leave: all that are stored, or with slots those that were when one came. */
int64_t netdp_i_participant_released(const netdp_i_participant *p);

/* A line of the log. */
void netdp_i_participant_tell(netdp_i_participant *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same of a neighbour's doing, of strangers' or of its own waiting, which takes from no other's: as long as
 * they have lines left (limits.h). */
enum { NETDP_I_OF_STRANGERS = -1, NETDP_I_OF_ITSELF = -2 };
void netdp_i_participant_tell_of(netdp_i_participant *p, int32_t link, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes of the neighbour's allowance. False: it has no more of that. */
bool netdp_i_participant_allows(netdp_i_participant *p, int32_t link, netdp_i_limit limit,
                                int64_t many);

const char *netdp_i_participant_name(const netdp_i_participant *p, int32_t member);

/* Ends with that status; links, timers and metrics are closed. A second time is fine. */
void netdp_i_participant_end(netdp_i_participant *p, netdp_status status);

/* Goes on as far as it goes: speaks, sends, mixes, finishes. */
void netdp_i_participant_advance(netdp_i_participant *p);

/* Ends, if its own result and all neighbours' are there. */
void netdp_i_participant_leave(netdp_i_participant *p);

/* ---- measures.c ---- */

/* Why nothing moves. */
typedef struct netdp_i_waiting {
    const char *what;   /* one of a few words: "connection"; "" where it does not wait */
    const char *member; /* whose, "" where it is nobody's; borrowed */
    char says[128];     /* "a connection to west" */
} netdp_i_waiting;

void netdp_i_waiting_find(const netdp_i_participant *p, netdp_i_waiting *wait);

/* All metrics, docs/peer.md has their names; no number of them comes from a value. */
void netdp_i_measures_write(void *context, FILE *stream);

/*
 * Of what is spent towards whom, beside the budget; takes the account's contents, also where it fails.
 * `budget` NULL: nothing is limited.
 */
netdp_status netdp_i_measures_new(netdp_i_participant *p, const netdp_i_budget *budget,
                                  netdp_i_account *account);
void netdp_i_measures_free(netdp_i_measures *measures);

/* ---- links.c ---- */

/* Where a neighbour is, as peer.json has it. */
void netdp_i_links_place(const netdp_i_participant *p, int32_t neighbour, netdp_i_link *link);

netdp_status netdp_i_links_connect(netdp_i_participant *p);

/* Are all links up, so that all neighbours have said what they remember of this peer? */
bool netdp_i_known_to_all(const netdp_i_participant *p);

/* The first partner whose key is not there; -1: all are. */
int32_t netdp_i_missing_partner(const netdp_i_participant *p);

netdp_i_when netdp_i_when_of(const netdp_i_participant *p, int64_t round);

/* Whatever of this peer's vectors the neighbour lacks; of a contribution it learns first that it is
 * stored, and remembers that. */
void netdp_i_send_vectors(netdp_i_participant *p, int32_t link);

/* That this peer's round is over: of the last one, that its result is there. */
void netdp_i_send_over(netdp_i_participant *p, int32_t link, int64_t round);

/* A vector of the next round says as much; a neighbour that has it already is told so. */
void netdp_i_tell_those_ahead(netdp_i_participant *p);

/* ---- books.c ---- */

/* Reads what was agreed on and what is this member's own. */
netdp_status netdp_i_books_read(netdp_i_participant *p);

/* The ledger, the attempt's reservation, its keys. */
netdp_status netdp_i_books_open(netdp_i_participant *p);

/* What netdp_i_books_open would refuse of ledger, pair key and frames; nothing is written. */
netdp_status netdp_i_books_look(netdp_i_participant *p);

/* Is there room for the price of a round's contribution? Before it is drawn. */
netdp_status netdp_i_books_admit(netdp_i_participant *p, int64_t round);

/* Its price, and the contribution as it will leave, stored and synced with all that left before it; after the last, the
 * key of the noise is forgotten. */
netdp_status netdp_i_books_contribute(netdp_i_participant *p, int64_t round);

/* The vector of p->framed before it leaves, for neighbours that were cut off: this peer may have gone on,
 * been started again, or ended. Contributions and the end wait for the disk. */
netdp_status netdp_i_books_keep(netdp_i_participant *p);
/* The vector of a round that is stored, as it leaves, until the next call; NULL: it cannot be read, and
 * this peer ends. */
const uint8_t *netdp_i_books_frame(netdp_i_participant *p, int64_t round);
netdp_status netdp_i_books_sync(netdp_i_participant *p);

/* What leaves, before it does; nothing in it is secret, as every link may be listened to. False: it
 * could not be written, and this peer ends. */
netdp_status netdp_i_books_transcript(netdp_i_participant *p);
bool netdp_i_books_transcribe(netdp_i_participant *p);

/* ---- own.c ---- */

/* The owner's file, mode 0600: in how many phases the program failed, and how, a line a phase, all of them
 * of one length and written at the same time; and beside it what the program says on its standard error. */
#define NETDP_I_OWN_RECORD "step-phases.txt"
#define NETDP_I_OWN_SAID "step.log"

/*
 * Ready to ask; nothing where the study has no program. `first`: nothing of this study has left yet, and the
 * program is asked for phase 0, whose model everybody knows: where it gives no answer with finite gradients
 * the peer ends, as it does where a data file cannot be read (NETDP_INVALID, NETDP_ENVIRONMENT).
 */
netdp_status netdp_i_own_open(netdp_i_participant *p, bool first);

/*
 * May the round's contribution be drawn? The first time its question is put; true once the time of the
 * answer is over (test mode without one: once there is an answer), when the task's gradient is there.
 */
bool netdp_i_own_ready(netdp_i_participant *p, int64_t round);

/* The phase that the time of an answer runs of; -1: none. */
int64_t netdp_i_own_waits(const netdp_i_own *own);

/* The program is told to end; the loop must run until its handles are closed, and then it is freed. */
void netdp_i_own_close(netdp_i_own *own);
void netdp_i_own_free(netdp_i_own *own);

#endif
