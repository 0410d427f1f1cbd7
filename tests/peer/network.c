/*
 * Makes what netdp net init makes, with ports and noise of a test's own, and says what the simulator
 * finds:
 *
 *   network make STUDY.yaml OUT PORT NOISE [SEED]   folders OUT/0, OUT/1, ...; SEED: test mode
 *   network expect STUDY.yaml NOISE SEED            every node's state, a line each
 *   network rows STUDY.yaml                         every training row: its node, its features, its label
 *   network pairs COPY OUT                          a curious member's: COPY is its folder before it
 *                                                   contributed; of each partner a line, its number
 *                                                   and the noise of their pair as it sent it, phase
 *                                                   by phase, in units of the sensitivity
 *   network lie OUT HOW                             member 0, who tells member 1 lies (below) until killed
 *   network failing FOLDER AT FOR PART READS        the peer of that folder, its ledger on a disk that fails
 *                                                   (tests/disk.h)
 *
 * The study has one variant; rounds, dither, pairs and kappa are its own.
 */
#include <errno.h>
#include <math.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <netdp/simulate.h>

#include "base/file.h"
#include "base/memory.h"
#include "noise/normal.h"
#include "peer/keys.h"
#include "peer/link/transport.h"
#include "peer/package.h"
#include "peer/participant/participant.h"
#include "peer/settings.h"
#include "plan/problem.h"
#include "study/protection.h"
#include "study/study.h"

#include "../disk.h"

static netdp_error error;

static void must(netdp_status status)
{
    if (status == NETDP_OK)
        return;
    fprintf(stderr, "network: %s\n", error.text);
    exit(1);
}

typedef struct made {
    netdp_study *study;
    netdp_i_problem *problem;
    netdp_graph *pairs;
    netdp_linear protocol;
} made;

static made read_study(const char *path)
{
    made m = {0};
    const netdp_protocol *named;
    must(netdp_study_read(path, NULL, 0, &m.study, &error));
    must(netdp_i_problem_new(m.study, NULL, &m.problem, &error));
    must(netdp_protocol_find(m.study->protocol.kind, &named, &error));
    if (m.study->question.pair_graph != NULL)
        must(netdp_pairing_graph(m.study->question.pair_graph, m.problem->graph, 1, &m.pairs,
                                 &error));
    const netdp_settings settings = {
        .rounds = m.study->protocol.rounds,
        .noise.dither = m.study->question.settings.noise.dither,
        .accelerate = m.study->question.settings.accelerate,
        .inner = m.study->question.settings.inner,
        .every = 1,
        .noise.end = fmax(0, m.study->question.settings.noise.end),
        .noise.pairing = {.graph = m.pairs,
                          .kappa = m.study->question.settings.noise.pairing.kappa}};
    m.protocol = netdp_protocol_describe(named, m.problem->mixing, &settings);
    return m;
}

static void clear(made *m)
{
    netdp_graph_free(m->pairs);
    netdp_i_problem_free(m->problem);
    netdp_study_free(m->study);
}

static int32_t list_edges(const netdp_graph *graph, int32_t (**list)[2])
{
    int32_t count = 0;
    *list = calloc((size_t)netdp_graph_edges(graph), sizeof **list);
    for (int32_t v = 0; v < netdp_graph_nodes(graph); v++)
        for (int32_t i = 0; i < netdp_graph_degree(graph, v); i++)
            if (netdp_graph_neighbours(graph, v)[i] > v) {
                (*list)[count][0] = v;
                (*list)[count++][1] = netdp_graph_neighbours(graph, v)[i];
            }
    return count;
}

static void write_values(const made *m, const char *folder, int32_t self)
{
    char path[2 * NETDP_I_PATH_ROOM];
    snprintf(path, sizeof path, "%s/values.csv", folder);
    FILE *csv = fopen(path, "w");
    for (int32_t j = 0; j < m->problem->width; j++)
        fprintf(csv, "%s%s", j > 0 ? "," : "", m->problem->column[j]);
    for (int32_t j = 0; j < m->problem->width; j++)
        fprintf(csv, "%s%.17g", j > 0 ? "," : "\n",
                m->problem->low[j] +
                    m->problem->scale[j] * m->problem->values[self * m->problem->width + j]);
    fprintf(csv, "\n");
    fclose(csv);
}

static void write_folder(const made *m, const netdp_i_package *package, const char *folder,
                         int32_t self, int port, const char *seed)
{
    char path[2 * NETDP_I_PATH_ROOM], address[64], listen[64];
    netdp_i_settings settings = {.members = package->members, .patience = 600, .linger = 20};
    settings.address = calloc((size_t)package->members, sizeof *settings.address);
    snprintf(listen, sizeof listen, "127.0.0.1:%d", port + self);
    settings.listen = listen;
    for (int32_t i = 0; i < netdp_graph_degree(m->problem->graph, self); i++) {
        const int32_t who = netdp_graph_neighbours(m->problem->graph, self)[i];
        snprintf(address, sizeof address, "127.0.0.1:%d", port + who);
        if (who > self)
            settings.address[who] = strdup(address);
    }
    settings.test = seed != NULL;
    settings.seed = seed != NULL ? strtoull(seed, NULL, 10) : 0;
    settings.data = seed == NULL ? "values.csv" : NULL;
    must(netdp_i_settings_write(folder, package, &settings, &error));
    if (m->problem->values != NULL) /* of learning, the test writes rows itself */
        write_values(m, folder, self);
    snprintf(path, sizeof path, "%s/budget.yaml", folder);
    FILE *budget = fopen(path, "w");
    fprintf(budget, "delta: 1e-6\npeer: 1000\n");
    fclose(budget);
    snprintf(path, sizeof path, "%s/package", folder);
    must(netdp_i_package_write(package, path, &error));
    for (int32_t v = 0; v < package->members; v++)
        free(settings.address[v]);
    free(settings.address);
}

/* What the roster announces, where the study asks for it: as the simulator deals the rows. */
static void announce(const made *m, netdp_i_member *member)
{
    const int32_t n = netdp_graph_nodes(m->problem->graph);
    const netdp_examples *train = m->problem->train;
    int32_t *node = calloc((size_t)m->problem->rows, sizeof *node);
    if (m->study->question.protects == NETDP_PROTECTS_NODE && !m->study->task.mean_over_rows)
        goto done;
    if (getenv("ROWS") != NULL) { /* of files that the test writes itself */
        char *at = getenv("ROWS");
        for (int32_t v = 0; v < n; v++, at += *at == ',')
            member[v].rows = strtoll(at, &at, 10);
        goto done;
    }
    if (train == NULL)
        must(netdp_deal(m->problem->rows, n, !m->study->data.one_row_a_node, m->study->seed, node,
                        &error));
    for (int64_t i = 0; train == NULL && i < m->problem->rows; i++)
        member[node[i]].rows++;
    for (int32_t v = 0; train != NULL && v < n; v++)
        member[v].rows = train->start[v + 1] - train->start[v];
done:
    free(node);
}

static void make(const char *study, const char *out, int port, double noise, const char *seed)
{
    made m = read_study(study);
    const int32_t n = netdp_graph_nodes(m.problem->graph);
    netdp_i_package package = {
        .title = m.study->title,
        .members = n,
        .member = calloc((size_t)n, sizeof(netdp_i_member)),
        .terms = {.sigma = noise,
                  .noise.pairing.kappa = m.study->question.settings.noise.pairing.kappa,
                  .noise.dither = m.study->question.settings.noise.dither,
                  .noise.end = fmax(0, m.study->question.settings.noise.end),
                  .rounds = m.study->protocol.rounds,
                  .contributions = netdp_linear_contributions(&m.protocol),
                  .attempts = getenv("ATTEMPTS") != NULL ? atoi(getenv("ATTEMPTS")) : 1,
                  .width = m.problem->width,
                  .delta = 1e-6,
                  .expires =
                      time(NULL) + 86400 * (getenv("DAYS") != NULL ? atoi(getenv("DAYS")) : 1)},
    };
    char path[NETDP_I_PATH_ROOM + 64];
    int64_t bytes;
    announce(&m, package.member);
    must(netdp_i_file_load(study, &package.study, &bytes, &error));
    package.edges = list_edges(m.problem->graph, &package.edge);
    if (m.pairs != NULL)
        package.pairs = list_edges(m.pairs, &package.pair);
    mkdir(out, 0700);
    for (int32_t v = 0; v < n; v++) {
        netdp_i_signer *signer = NULL;
        snprintf(path, sizeof path, "%s/%d", out, v);
        mkdir(path, 0700);
        snprintf(path, sizeof path, "%s/%d/package", out, v);
        mkdir(path, 0700);
        snprintf(path, sizeof path, "%s/%d/key", out, v);
        must(netdp_i_signer_make(path, &signer, &error));
        snprintf(package.member[v].name, sizeof package.member[v].name, "meter-%d", v);
        memcpy(package.member[v].key, netdp_i_signer_public(signer), NETDP_I_DIGEST);
        package.member[v].joined = true;
        netdp_i_signer_free(signer);
    }
    for (int32_t v = 0; v < n; v++) {
        snprintf(path, sizeof path, "%s/%d", out, v);
        write_folder(&m, &package, path, v, port, seed);
    }
    printf("%d\n", n);
    netdp_i_free(package.study);
    free(package.edge);
    free(package.pair);
    free(package.member);
    clear(&m);
}

static void expect(const char *study, double noise, const char *seed)
{
    made m = read_study(study);
    const int32_t n = netdp_graph_nodes(m.problem->graph), width = m.problem->width;
    double *state = calloc((size_t)n * (size_t)width, sizeof *state);
    const netdp_run_seed run = {strtoull(seed, NULL, 10), 0};
    const netdp_tracing quiet = {.every = 1};
    const netdp_learning learning = {.objective = m.problem->objective,
                                     .train = m.problem->train,
                                     .step = m.study->task.step,
                                     .batches = netdp_i_study_protection(m.study).batches,
                                     .noise = noise * m.problem->sensitivity};
    if (m.problem->train != NULL)
        must(netdp_simulate_learning(&m.protocol, &learning, run, quiet, state, &error));
    else
        must(netdp_simulate(&m.protocol, noise * m.problem->sensitivity, m.problem->values, width,
                            run, quiet, state, &error));
    for (int32_t v = 0; v < n; v++)
        for (int32_t j = 0; j < width; j++)
            printf("%.17g%c", state[v * width + j], j + 1 < width ? ' ' : '\n');
    free(state);
    clear(&m);
}

static void print_rows(const char *study)
{
    made m = read_study(study);
    const netdp_examples *rows = m.problem->train;
    for (int32_t v = 0; v < rows->nodes; v++)
        for (int64_t i = rows->start[v]; i < rows->start[v + 1]; i++) {
            printf("%d", v);
            for (int32_t j = 0; j < rows->features; j++)
                printf(",%.17g", rows->x[i * rows->features + j]);
            printf(",%.17g\n", rows->y[i]);
        }
    clear(&m);
}

/* One's own key and the partner's offer give what both drew. */
static void print_pair(const netdp_i_package *package, const netdp_i_attempt *attempt,
                       const netdp_i_ephemeral *mine, int32_t self, int32_t other, const char *out)
{
    char path[NETDP_I_PATH_ROOM + 64];
    netdp_i_signer *signer = NULL;
    netdp_i_ephemeral *theirs = NULL;
    netdp_i_offer offer;
    netdp_i_attempt at = *attempt;
    snprintf(path, sizeof path, "%s/%d/key", out, other);
    must(netdp_i_signer_load(path, &signer, &error));
    snprintf(path, sizeof path, "%s/%d", out, other);
    must(netdp_i_ephemeral_keep(path, signer, attempt, (uint32_t)other, true, &theirs, &offer,
                                &error));
    unsigned char secret[NETDP_I_KEY];
    if (!netdp_i_pair_secret(mine, &offer, secret))
        exit(1);
    const double scale =
        package->terms.sigma * package->terms.noise.pairing.kappa * (other < self ? 1 : -1);
    printf("%d", other);
    for (at.phase = 0; at.phase < package->terms.contributions; at.phase++) {
        netdp_i_secure stream;
        netdp_i_pair_stream(mine, &at, (uint32_t)self, (uint32_t)other, &offer, secret, &stream);
        for (int64_t j = 0; j < package->terms.width; j++)
            printf(" %.17g",
                   scale * ldexp((double)netdp_i_secure_normal(&stream, NETDP_I_PAIR_PLACES),
                                 -NETDP_I_PAIR_PLACES));
    }
    printf("\n");
    netdp_i_ephemeral_free(theirs);
    netdp_i_signer_free(signer);
}

static void pairs(const char *copy, const char *out)
{
    char path[NETDP_I_PATH_ROOM + 64];
    netdp_i_package *package = NULL;
    netdp_i_signer *signer = NULL;
    netdp_i_ephemeral *mine = NULL;
    netdp_i_attempt attempt = {.phase = 0};
    netdp_i_offer offer;
    snprintf(path, sizeof path, "%s/package", copy);
    must(netdp_i_package_read(path, &package, &error));
    must(netdp_i_package_digest(package, attempt.study, &error));
    snprintf(path, sizeof path, "%s/key", copy);
    must(netdp_i_signer_load(path, &signer, &error));
    const int32_t self = netdp_i_package_find_key(package, netdp_i_signer_public(signer));
    must(netdp_i_ephemeral_keep(copy, signer, &attempt, (uint32_t)self, true, &mine, &offer,
                                &error));
    if (mine == NULL)
        exit(1);
    for (int32_t e = 0; e < package->pairs; e++)
        for (int end = 0; end < 2; end++)
            if (package->pair[e][end] == self)
                print_pair(package, &attempt, mine, self, package->pair[e][1 - end], out);
    netdp_i_ephemeral_free(mine);
    netdp_i_signer_free(signer);
    netdp_i_package_free(package);
}

/* ---- A liar ---- */

typedef struct liar {
    const char *how;
    netdp_i_transport *transport;
    netdp_i_hello hello;
    netdp_i_signer *own, *victim;
} liar;

/* That it has seen a later ledger of the other, with a proof of which kind? */
static void prove(const liar *l, netdp_i_shown_head *yours)
{
    yours->head = (netdp_i_ledger_head){.rows = 1000, .digest = {7}};
    if (strcmp(l->how, "forged") == 0)
        netdp_i_head_sign(l->own, &yours->head, false, yours->signature);
    else if (strcmp(l->how, "test-mode") == 0)
        netdp_i_head_sign(l->victim, &yours->head, true, yours->signature);
    else if (strcmp(l->how, "true") == 0)
        netdp_i_head_sign(l->victim, &yours->head, false, yours->signature);
    else if (strcmp(l->how, "unsigned") != 0)
        yours->head.rows = 0;
}

/* A vector that is as it should be, twice; or with one byte or its last number changed. */
static void send_bent(const liar *l, int32_t link)
{
    static const struct {
        const char *how;
        int at;
        uint8_t byte;
    } bent[] = {{"wrong-version", 4, 9}, {"oversized", 2, 200}, {"malformed", 6, 77},
                {"not-finite", -1, 0},   {"replayed", 0, 0},    {0}};
    const double number = 0.5, nothing = NAN;
    uint8_t bytes[64];
    const size_t size = netdp_i_frame_vector(0, (netdp_i_when){0}, &number, 1, bytes);
    for (int k = 0; bent[k].how != NULL; k++) {
        if (strcmp(l->how, bent[k].how) != 0)
            continue;
        if (bent[k].at > 0)
            bytes[bent[k].at] = bent[k].byte;
        else if (bent[k].at < 0)
            memcpy(bytes + size - sizeof nothing, &nothing, sizeof nothing);
        for (int times = 0; times < 2; times++)
            (void)netdp_i_transport_send(l->transport, link, bytes, size);
    }
}

static void lie_first(void *context, int32_t link)
{
    liar *l = context;
    uint8_t bytes[256];
    (void)netdp_i_transport_send(l->transport, link, bytes, netdp_i_frame_hello(&l->hello, bytes));
    if (strcmp(l->how, "goodbye") == 0)
        (void)netdp_i_transport_send(l->transport, link, bytes,
                                     netdp_i_frame_goodbye(NETDP_I_REFUSE_LEDGER_WENT_BACK, bytes));
    if (strcmp(l->how, "unproven") == 0) {
        const netdp_i_shown_head shown = {.head = l->hello.ledger};
        (void)netdp_i_transport_send(l->transport, link, bytes,
                                     netdp_i_frame_ledger(&shown, bytes));
    }
    send_bent(l, link);
}

static netdp_i_refusal hear_nothing(void *context, int32_t link, const netdp_i_message *message,
                                    const uint8_t *bytes, size_t size)
{
    (void)context, (void)link, (void)message, (void)bytes, (void)size;
    return NETDP_I_REFUSE_NOTHING;
}

static void go_on(void *context, int32_t link)
{
    (void)context, (void)link;
}

static void stay(void *context, int32_t link, netdp_i_refusal why, const char *from)
{
    (void)context, (void)link, (void)why, (void)from;
}

static void lie(const char *out, const char *how)
{
    char path[NETDP_I_PATH_ROOM + 64];
    netdp_i_package *package = NULL;
    netdp_i_settings settings = {0};
    uv_loop_t loop;
    liar l = {.how = how};
    snprintf(path, sizeof path, "%s/0/package", out);
    must(netdp_i_package_read(path, &package, &error));
    snprintf(path, sizeof path, "%s/0/key", out);
    must(netdp_i_signer_load(path, &l.own, &error));
    snprintf(path, sizeof path, "%s/1/key", out);
    must(netdp_i_signer_load(path, &l.victim, &error));
    snprintf(path, sizeof path, "%s/0", out);
    must(netdp_i_settings_read(path, package, &settings, &error));
    l.hello = (netdp_i_hello){.nodes = (uint32_t)package->members, .ledger = {.rows = 1}};
    must(netdp_i_package_digest(package, l.hello.study, &error));
    l.hello.at.round = strcmp(how, "ahead") == 0 ? 5 : 0;
    l.hello.study[0] ^= strcmp(how, "wrong-digest") == 0;
    const uint8_t nobodys[32] = {1};
    prove(&l, &l.hello.yours);
    netdp_i_public *key = calloc((size_t)package->members, sizeof *key);
    for (int32_t v = 0; v < package->members; v++)
        memcpy(key[v], package->member[v].key, sizeof *key);
    const netdp_i_link link = {.neighbour = 1, .dials = true, .address = settings.address[1]};
    const netdp_i_transport_plan plan = {
        .loop = &loop,
        .seed = strcmp(how, "unknown-key") == 0 ? nobodys : netdp_i_signer_secret(l.own),
        .certificate = strcmp(how, "expired") == 0 ? -60 : 0,
        .nodes = package->members,
        .key = (const netdp_i_public *)key,
        .links = 1,
        .link = &link,
        .width = (uint32_t)package->terms.width,
        .patience = 5000,
        .hooks = {&l, lie_first, hear_nothing, go_on, stay, NULL},
    };
    uv_loop_init(&loop);
    must(netdp_i_transport_new(&plan, &l.transport, &error));
    uv_run(&loop, UV_RUN_DEFAULT);
}

static int participate(char **with)
{
    make_disk();
    keeps_synced = false;
    fail_at = strtoll(with[1], NULL, 10);
    fail_for = strtoll(with[2], NULL, 10);
    fail_part = atoi(with[3]);
    fail_reads = atoi(with[4]) != 0;
    sqlite3_vfs_register(&disk, 1);
    const netdp_status status = netdp_i_participate(with[0], stderr, &error);
    if (status != NETDP_OK)
        fprintf(stderr, "network: %s\n", error.text);
    return (int)status;
}

int main(int argc, char **argv)
{
    if (argc >= 6 && strcmp(argv[1], "make") == 0)
        make(argv[2], argv[3], atoi(argv[4]), atof(argv[5]), argc > 6 ? argv[6] : NULL);
    else if (argc == 5 && strcmp(argv[1], "expect") == 0)
        expect(argv[2], atof(argv[3]), argv[4]);
    else if (argc == 3 && strcmp(argv[1], "rows") == 0)
        print_rows(argv[2]);
    else if (argc == 4 && strcmp(argv[1], "pairs") == 0)
        pairs(argv[2], argv[3]);
    else if (argc == 4 && strcmp(argv[1], "lie") == 0)
        lie(argv[2], argv[3]);
    else if (argc == 7 && strcmp(argv[1], "failing") == 0)
        return participate(argv + 2);
    else
        return 2;
    return 0;
}
