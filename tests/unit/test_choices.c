/* A number that an enum does not have is refused wherever it comes in, and crashes nothing. */
#include "check.h"

#include <netdp/netdp.h>

static netdp_error error;

/* What the calls work on: good but for the one number. */
static netdp_graph *graph;
static netdp_mixing *mixing;
static netdp_transition *law;
static netdp_linear protocol;
static netdp_token token;
static netdp_tally sum, histogram;
static const int32_t from[] = {1}, to[] = {0};
static int32_t path[64];
static double numbers[4096];
static netdp_examples *examples, *test;

static const netdp_unit dp = {NETDP_AS_DP, 1e-6}, rdp = {NETDP_AS_RDP, 2};

static netdp_loss_request gossip_request(void)
{
    return (netdp_loss_request){
        .protocol = &protocol, .from_count = 1, .from = from, .to_count = 1, .to = to};
}

static netdp_status losses_of(netdp_loss_request request)
{
    netdp_losses *losses = NULL;
    netdp_status status = netdp_losses_new(&request, NULL, &losses, &error);
    netdp_losses_free(losses);
    return status;
}

static netdp_status plan_of(netdp_loss_request request)
{
    netdp_plan plan;
    return netdp_losses_plan(&request, &plan, &error);
}

static netdp_status ignore(void *context, const netdp_losses *losses, int32_t to_index,
                           const double *loss, netdp_error *why)
{
    (void)context, (void)losses, (void)to_index, (void)loss, (void)why;
    return NETDP_OK;
}

static netdp_status each_of(netdp_loss_request request)
{
    return netdp_losses_each(&request, ignore, NULL, NULL, &error);
}

static netdp_target target_of(netdp_unit unit, netdp_over over)
{
    return (netdp_target){.epsilon = 1, .unit = unit, .over = over, .max_noise = 1e6};
}

static netdp_status calibrate(netdp_loss_request request, netdp_target target)
{
    netdp_calibration calibration;
    return netdp_calibrate(&request, &target, NULL, &calibration, NULL, &error);
}

static netdp_status drawn_of(netdp_unit unit, netdp_vary kind)
{
    netdp_linear changing = protocol;
    changing.varying = (netdp_variation){.kind = kind, .missing = 0.1, .span = 1};
    netdp_loss_request request = gossip_request();
    request.protocol = &changing;
    const netdp_drawn_request drawn = {
        .losses = &request, .draws = 2, .noise = 1, .unit = unit, .failure = 0.1};
    netdp_losses *losses = NULL;
    netdp_status status = netdp_losses_drawn(&drawn, NULL, &losses, &error);
    netdp_losses_free(losses);
    return status;
}

static netdp_walk_request walk_request(void)
{
    return (netdp_walk_request){.token = &token,
                                .noise = 4,
                                .unit = rdp,
                                .from_count = 1,
                                .from = from,
                                .to_count = 1,
                                .to = to};
}

static netdp_status walk_losses_of(netdp_walk_request request)
{
    netdp_losses *losses = NULL;
    netdp_status status = netdp_walk_losses_new(&request, NULL, &losses, &error);
    netdp_losses_free(losses);
    return status;
}

static netdp_status walk_calibrate(netdp_walk_request request, netdp_target target)
{
    netdp_calibration calibration;
    return netdp_walk_calibrate(&request, &target, NULL, &calibration, NULL, &error);
}

static netdp_tally_request tally_request(const netdp_tally *tally)
{
    return (netdp_tally_request){
        .tally = tally, .unit = dp, .from_count = 1, .from = from, .to_count = 1, .to = to};
}

static netdp_status tally_losses_of(netdp_tally_request request)
{
    netdp_losses *losses = NULL;
    netdp_status status = netdp_tally_losses_new(&request, NULL, &losses, &error);
    netdp_losses_free(losses);
    return status;
}

static netdp_status tally_calibrate(netdp_tally_request request, netdp_target target)
{
    netdp_calibration calibration;
    return netdp_tally_calibrate(&request, &target, NULL, &calibration, NULL, &error);
}

static netdp_status attack_of(netdp_view view, netdp_honest honest, unsigned faults, int way)
{
    const netdp_gossip_attack attack = {.protocol = &protocol,
                                        .view = view,
                                        .victim = 1,
                                        .noise = 1,
                                        .honest = honest,
                                        .faults = faults,
                                        .runs = 200};
    if (way == 0)
        return netdp_attack_gossip(&attack, NULL, numbers, NULL, &error);
    return way == 1 ? netdp_attack_blindly(&attack, NULL, numbers, &error)
                    : netdp_reconstruct(&attack, NULL, numbers, &error);
}

static netdp_status walk_attack_of(unsigned faults)
{
    const netdp_walk_attack attack = {.token = &token,
                                      .count = 1,
                                      .observers = to,
                                      .victim = 1,
                                      .noise = 1,
                                      .faults = faults,
                                      .runs = 200};
    return netdp_attack_walk(&attack, NULL, numbers, &error);
}

static netdp_status tally_attack_of(netdp_tally tally, unsigned faults)
{
    const netdp_tally_attack attack = {
        .tally = &tally, .count = 1, .observers = to, .victim = 1, .faults = faults, .runs = 200};
    return netdp_attack_tally(&attack, NULL, numbers, &error);
}

static netdp_status events_of(netdp_mechanism mechanism, netdp_direction direction, int way)
{
    const netdp_event event = {.mechanism = mechanism, .noise = 2, .count = 1};
    double value;
    if (way == 0)
        return netdp_events_epsilon(&event, 1, 1e-6, direction, &value, &error);
    return way == 1 ? netdp_events_delta(&event, 1, 1, direction, &value, &error)
                    : netdp_events_write(&event, 1, "/dev/null", &error);
}

static netdp_status shuffle_of(netdp_shuffle_bound bound, int way)
{
    const netdp_shuffle shuffle = {.epsilon0 = 0.1, .crowd = 2000, .levels = 2};
    double value;
    if (way == 0)
        return netdp_shuffle_epsilon(bound, &shuffle, 1e-6, &value, &error);
    return way == 1 ? netdp_shuffle_delta(bound, &shuffle, 0.01, &value, &error)
                    : netdp_shuffle_gamma(bound, 2000, 2, 0.1, 1e-6, &value, &error);
}

static netdp_status closed_of(netdp_form form, int way)
{
    const netdp_closed_walk walk = {
        .nodes = 8, .from = 1, .to = 0, .steps = 20, .loop = 0.1, .alpha = 2, .sigma = 4};
    const netdp_complete_walk complete = {.nodes = 8,
                                          .steps = 20,
                                          .epsilon = 0.1,
                                          .delta = 1e-6,
                                          .delta_compose = 1e-6,
                                          .delta_visits = 1e-6};
    double value;
    netdp_complete_loss loss;
    netdp_spotted spotted;
    static netdp_status (*const single[])(const netdp_closed_walk *, netdp_form, double *,
                                          netdp_error *) = {
        netdp_closed_star, netdp_closed_ring, netdp_closed_complete, netdp_closed_passage};
    if (way < 4)
        return single[way](&walk, form, &value, &error);
    if (way == 4)
        return netdp_closed_sum(&complete, form, &loss, &error);
    return way == 5 ? netdp_closed_sgd(&complete, form, &loss, &error)
                    : netdp_spotted_loss(&complete, 1e-6, 0, form, &spotted, &error);
}

static netdp_status tally_paper_of(netdp_form form, int way)
{
    const netdp_tally_terms terms = {.epsilon = 0.1,
                                     .delta = 1e-6,
                                     .delta_compose = 1e-6,
                                     .delta_visits = 1e-6,
                                     .delta_spotted = 1e-6,
                                     .colluders = 1};
    netdp_tally_published bound;
    return way == 0 ? netdp_tally_published_bound(&sum, &terms, form, &bound, &error)
                    : netdp_tally_published_local(&sum, &terms, form, &bound, &error);
}

static netdp_status cycles_of(netdp_shuffle_bound shuffle, netdp_tally_account account, int way)
{
    netdp_tally complete = histogram;
    complete.graph = NETDP_TALLY_COMPLETE;
    complete.passes = 0;
    complete.steps = 16;
    const netdp_tally_cycles cycles = {.tally = &complete,
                                       .path = path,
                                       .count = 1,
                                       .observers = to,
                                       .delta = 1e-6,
                                       .delta_compose = 1e-6,
                                       .shuffle = shuffle};
    double crowd[NETDP_TALLY_CROWDS] = {0}, published[8], total[8], sound[8];
    netdp_tally_spread spread = {0};
    return way == 0 ? netdp_tally_empirical(&cycles, NULL, published, total, sound, &error)
                    : netdp_tally_empirical_pairs(&cycles, account, crowd, NULL, &spread, &error);
}

static netdp_status simulate_walk_of(netdp_walk_output output, netdp_objective_kind kind)
{
    netdp_walking walking = {.values = numbers,
                             .width = 1,
                             .step = 0.1,
                             .noise = 1,
                             .output = output,
                             .objective = {.kind = kind, .clip = 1}};
    if (kind != NETDP_LOGISTIC) {
        walking.train = examples;
        walking.values = NULL;
    }
    double model[8];
    return netdp_simulate_walk(&token, &walking, (netdp_run_seed){1, 0},
                               (netdp_tracing){.every = 1}, model, NULL, &error);
}

static netdp_status learning_of(netdp_objective_kind kind, int way)
{
    netdp_linear learning = protocol;
    learning.every = 1;
    learning.steady = learning.reacts = true;
    const netdp_learning task = {
        .objective = {.kind = kind, .clip = 1}, .train = examples, .step = 0.1, .noise = 1};
    double model[64], value;
    const netdp_run_seed seed = {1, 0};
    const netdp_tracing tracing = {.every = 1};
    if (way == 0)
        return netdp_simulate_learning(&learning, &task, seed, tracing, model, &error);
    if (way == 1)
        return netdp_learn_central(&task, 3, seed, tracing, model, &error);
    return way == 2 ? netdp_objective_check(&task.objective, &error)
                    : netdp_objective_least(&task.objective, examples, &value, NULL, &error);
}

static netdp_status simulate_tally_of(netdp_tally tally)
{
    static const double levels[] = {0, 1, 0, 1, 0, 1, 0, 1};
    const netdp_tallying tallying = {.tally = &tally, .values = levels, .depth = 1, .level = 0.95};
    netdp_estimate estimate[4];
    return netdp_simulate_tally(&tallying, (netdp_run_seed){1, 0}, (netdp_tracing){.every = 1},
                                estimate, NULL, NULL, NULL, &error);
}

static netdp_status tally_path_of(netdp_tally tally)
{
    return netdp_tally_path(&tally, (netdp_run_seed){1, 0}, path, &error);
}

static netdp_status tally_all_of(netdp_tally tally, int way)
{
    double loss[8];
    netdp_tally_deviations deviations;
    switch (way) {
    case 0:
        return netdp_tally_check(&tally, &error);
    case 1:
        return tally_losses_of(tally_request(&tally));
    case 2:
        return tally_calibrate(tally_request(&tally), target_of(dp, NETDP_OVER_WORST));
    case 3:
        return netdp_tally_realised(&tally, NULL, 1, to, loss, &error);
    case 4:
        return netdp_tally_baselines(&tally, 1, 1e-6, &deviations, &error);
    case 5:
        return simulate_tally_of(tally);
    case 6:
        return tally_path_of(tally);
    default:
        return tally_attack_of(tally, 0);
    }
}
enum { TALLY_WAYS = 8 };

static netdp_status describe_of(netdp_mechanism mechanism, netdp_tally_schedule schedule)
{
    const netdp_protocol *named = NULL;
    netdp_settings settings = NETDP_SETTINGS_USUAL;
    netdp_tally tally;
    netdp_graph *ring = NULL;
    settings.rounds = 2;
    settings.mechanism = mechanism;
    settings.schedule = schedule;
    assert_ok(netdp_graph_make("ring 8", 1, true, &ring, NULL, &error));
    assert_ok(netdp_protocol_find("ring-sum", &named, &error));
    const netdp_status status =
        netdp_protocol_describe_tally(named, ring, &settings, &tally, &error);
    netdp_graph_free(ring);
    return status;
}

static netdp_status variation_of(netdp_vary kind, int way)
{
    netdp_linear changing = protocol;
    changing.varying = (netdp_variation){.kind = kind, .missing = 0.1, .span = 1};
    netdp_loss_request request = gossip_request();
    request.protocol = &changing;
    netdp_sequence *sequence = NULL;
    netdp_status status;
    int64_t count[8];
    double gap;
    switch (way) {
    case 0:
        return netdp_variation_check(mixing, &changing.varying, &error);
    case 1:
        status = netdp_sequence_new(mixing, &changing.varying, &sequence, &error);
        netdp_sequence_free(sequence);
        return status;
    case 2:
        return losses_of(request);
    case 3:
        return netdp_linear_check(&changing, &error);
    case 4:
        return netdp_linear_realised(&changing, count, &error);
    case 5:
        return netdp_linear_gap(&changing, &gap, &error);
    default:
        return netdp_simulate(&changing, 1, numbers, 1, (netdp_run_seed){1, 0},
                              (netdp_tracing){.every = 1}, numbers + 64, &error);
    }
}
enum { VARIATION_WAYS = 7 };

static netdp_status realised_of(netdp_realised_kind kind, int way)
{
    return way == 0 ? netdp_realised_costs(&token, path, kind, 1, to, numbers + 64, &error)
                    : netdp_realised_pairs(&token, path, kind, NULL, numbers + 64, &error);
}

static netdp_status spectrum_of(netdp_spectral_method method)
{
    netdp_spectrum spectrum;
    return netdp_mixing_spectrum(mixing, method, &spectrum, &error);
}

static netdp_status value_of(netdp_unit unit, int way)
{
    double value;
    netdp_losses *losses = NULL;
    netdp_summary summary;
    if (way == 0)
        return netdp_loss_value(0.5, 2, unit, &value, &error);
    const netdp_loss_request request = gossip_request();
    assert_ok(netdp_losses_new(&request, NULL, &losses, &error));
    const netdp_status status = netdp_losses_summary(losses, 2, unit, &summary, &error);
    netdp_losses_free(losses);
    return status;
}

/* A call that must be refused; x is the number that the enum does not have. */
#define REFUSED(call)                                                                              \
    do {                                                                                           \
        error.text[0] = '\0';                                                                      \
        const netdp_status status_ = (call);                                                       \
        if (status_ != NETDP_INVALID || error.text[0] == '\0')                                     \
            fail_msg("%s with %d: %d, '%s'", #call, x, (int)status_, error.text);                  \
    } while (0)

/* REQUEST with one member set. */
#define WITH(type, value, member, x)                                                               \
    (request_ = (union any){.type = (value)}, request_.type.member = x, request_.type)
union any {
    netdp_loss_request loss;
    netdp_walk_request walk;
    netdp_tally_request tally;
};

static const int beyond[] = {99, -1};

static void test_gossip(void **state)
{
    (void)state;
    union any request_;
    for (size_t i = 0; i < 2; i++) {
        const int x = beyond[i];
        const netdp_unit unit = {(netdp_currency)x, 2};
        const netdp_bound_info *chosen;
        REFUSED(losses_of(WITH(loss, gossip_request(), bound, (netdp_bound)x)));
        REFUSED(losses_of(WITH(loss, gossip_request(), sees, (netdp_sees)x)));
        REFUSED(losses_of(WITH(loss, gossip_request(), own_noise, (netdp_own_noise)x)));
        REFUSED(plan_of(WITH(loss, gossip_request(), bound, (netdp_bound)x)));
        REFUSED(plan_of(WITH(loss, gossip_request(), sees, (netdp_sees)x)));
        REFUSED(plan_of(WITH(loss, gossip_request(), own_noise, (netdp_own_noise)x)));
        REFUSED(each_of(WITH(loss, gossip_request(), bound, (netdp_bound)x)));
        REFUSED(each_of(WITH(loss, gossip_request(), sees, (netdp_sees)x)));
        REFUSED(each_of(WITH(loss, gossip_request(), own_noise, (netdp_own_noise)x)));
        REFUSED(calibrate(WITH(loss, gossip_request(), bound, (netdp_bound)x), target_of(dp, 0)));
        REFUSED(calibrate(WITH(loss, gossip_request(), sees, (netdp_sees)x), target_of(dp, 0)));
        REFUSED(calibrate(gossip_request(), target_of(unit, NETDP_OVER_MEAN)));
        REFUSED(calibrate(gossip_request(), target_of(dp, (netdp_over)x)));
        REFUSED(netdp_bound_choose(&protocol, (netdp_bound)x, &chosen, &error));
        REFUSED(value_of(unit, 0));
        REFUSED(value_of(unit, 1));
        REFUSED(drawn_of(unit, NETDP_VARY_EDGES));
        REFUSED(drawn_of(dp, (netdp_vary)x));
        for (int way = 0; way < VARIATION_WAYS; way++)
            REFUSED(variation_of((netdp_vary)x, way));
        REFUSED(spectrum_of((netdp_spectral_method)x));
        for (int way = 0; way < 3; way++) {
            const netdp_view sees = {.sees = (netdp_sees)x, .count = 1, .observers = to};
            const netdp_view own = {.own_noise = (netdp_own_noise)x, .count = 1, .observers = to};
            const netdp_view good = {.count = 1, .observers = to};
            REFUSED(attack_of(sees, NETDP_HONEST_SILENT, 0, way));
            REFUSED(attack_of(own, NETDP_HONEST_SILENT, 0, way));
            REFUSED(attack_of(good, (netdp_honest)x, 0, way));
            REFUSED(attack_of(good, NETDP_HONEST_SILENT, 1u << 9, way));
        }
        for (int way = 0; way < 4; way++)
            REFUSED(learning_of((netdp_objective_kind)x, way));
    }
}

static void test_walks(void **state)
{
    (void)state;
    union any request_;
    for (size_t i = 0; i < 2; i++) {
        const int x = beyond[i];
        const netdp_unit unit = {(netdp_currency)x, 2};
        const netdp_bound_info *chosen;
        REFUSED(walk_losses_of(WITH(walk, walk_request(), bound, (netdp_bound)x)));
        REFUSED(walk_losses_of(WITH(walk, walk_request(), unit, unit)));
        REFUSED(walk_calibrate(WITH(walk, walk_request(), bound, (netdp_bound)x),
                               target_of(rdp, NETDP_OVER_WORST)));
        REFUSED(walk_calibrate(walk_request(), target_of(unit, NETDP_OVER_WORST)));
        REFUSED(walk_calibrate(walk_request(), target_of(rdp, (netdp_over)x)));
        REFUSED(netdp_walk_bound_choose(&token, (netdp_bound)x, &chosen, &error));
        REFUSED(simulate_walk_of((netdp_walk_output)x, NETDP_LOGISTIC));
        REFUSED(simulate_walk_of(NETDP_WALK_LAST, (netdp_objective_kind)x));
        REFUSED(walk_attack_of(1u << 9));
        for (int way = 0; way < 2; way++)
            REFUSED(realised_of((netdp_realised_kind)x, way));
    }
}

static void test_tallies(void **state)
{
    (void)state;
    union any request_;
    for (size_t i = 0; i < 2; i++) {
        const int x = beyond[i];
        const netdp_unit unit = {(netdp_currency)x, 2};
        for (int kind = 0; kind < 2; kind++) {
            const netdp_tally *tally = kind == 0 ? &sum : &histogram;
            REFUSED(tally_losses_of(WITH(tally, tally_request(tally), bound, (netdp_bound)x)));
            REFUSED(tally_losses_of(WITH(tally, tally_request(tally), unit, unit)));
            REFUSED(tally_losses_of(
                WITH(tally, tally_request(tally), shuffle, (netdp_shuffle_bound)x)));
            REFUSED(tally_losses_of(
                WITH(tally, tally_request(tally), composing, (netdp_tally_composing)x)));
            REFUSED(tally_calibrate(WITH(tally, tally_request(tally), bound, (netdp_bound)x),
                                    target_of(dp, NETDP_OVER_WORST)));
            REFUSED(tally_calibrate(tally_request(tally), target_of(unit, NETDP_OVER_WORST)));
            REFUSED(tally_calibrate(tally_request(tally), target_of(dp, (netdp_over)x)));
            for (int way = 0; way < TALLY_WAYS; way++) {
                netdp_tally bad = *tally;
                bad.graph = (netdp_tally_graph)x;
                REFUSED(tally_all_of(bad, way));
                bad = *tally;
                bad.task = (netdp_tally_task)x;
                REFUSED(tally_all_of(bad, way));
                bad = *tally;
                bad.mechanism = (netdp_mechanism)x;
                REFUSED(tally_all_of(bad, way));
                bad = *tally;
                bad.schedule = (netdp_tally_schedule)x;
                REFUSED(tally_all_of(bad, way));
            }
            REFUSED(tally_attack_of(*tally, 1u << 9));
        }
        REFUSED(describe_of((netdp_mechanism)x, NETDP_TALLY_EVERY));
        REFUSED(describe_of(NETDP_GAUSSIAN, (netdp_tally_schedule)x));
        for (int way = 0; way < 2; way++) {
            REFUSED(tally_paper_of((netdp_form)x, way));
            REFUSED(cycles_of((netdp_shuffle_bound)x, NETDP_TALLY_NETWORK, way));
        }
        REFUSED(cycles_of(NETDP_SHUFFLE_LEAST, (netdp_tally_account)x, 1));
    }
}

static void test_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const int x = beyond[i];
        for (int way = 0; way < 3; way++) {
            REFUSED(events_of((netdp_mechanism)x, NETDP_UPPER, way));
            if (way < 2)
                REFUSED(events_of(NETDP_LAPLACE, (netdp_direction)x, way));
            if (way < 2)
                REFUSED(events_of(NETDP_GAUSSIAN, (netdp_direction)x, way));
            REFUSED(shuffle_of((netdp_shuffle_bound)x, way));
        }
        for (int way = 0; way < 7; way++)
            REFUSED(closed_of((netdp_form)x, way));
    }
}

/* Functions that cannot fail say so in words, or go on with what is safe. */
static void test_without_status(void **state)
{
    (void)state;
    const double model[8] = {0};
    double gradient[8];
    for (size_t i = 0; i < 2; i++) {
        const int x = beyond[i];
        assert_null(netdp_claim_unit((netdp_claim_kind)x));
        assert_null(netdp_sees_name((netdp_sees)x));
        assert_null(netdp_method_name((netdp_method)x));
        assert_null(netdp_own_noise_name((netdp_own_noise)x));
        assert_null(netdp_shuffle_name((netdp_shuffle_bound)x));
        assert_int_equal(netdp_status_exit_code((netdp_status)x), 3);
        const netdp_event event = {.mechanism = (netdp_mechanism)x, .noise = 2, .count = 1};
        assert_false(netdp_events_certified(&event, 1));
        const netdp_objective objective = {.kind = (netdp_objective_kind)x, .clip = 1};
        netdp_gradient(&objective, examples, 0, model, 0, 1, 0, NULL, gradient);
        (void)netdp_objective_value(&objective, examples, model);
        (void)netdp_score(&objective, examples, model);
        assert_true(netdp_smoothness(&objective, examples) == INFINITY);
        assert_true(netdp_node_smoothness(&objective, examples, 0) == INFINITY);
        netdp_stream stream = netdp_stream_at(1, (netdp_purpose)x, 0, 0);
        (void)netdp_stream_bits(&stream);
    }
}

/* And every call is fine where the number is good: what is refused above is the number. */
static void test_good_numbers(void **state)
{
    (void)state;
    const netdp_view good = {.count = 1, .observers = to};
    assert_ok(losses_of(gossip_request()));
    assert_ok(plan_of(gossip_request()));
    assert_ok(each_of(gossip_request()));
    assert_ok(calibrate(gossip_request(), target_of(dp, NETDP_OVER_MEAN)));
    assert_ok(drawn_of(dp, NETDP_VARY_EDGES));
    assert_ok(walk_losses_of(walk_request()));
    assert_ok(walk_calibrate(walk_request(), target_of(rdp, NETDP_OVER_WORST)));
    assert_ok(walk_attack_of(0));
    assert_ok(spectrum_of(NETDP_SPECTRAL_AUTO));
    assert_ok(simulate_walk_of(NETDP_WALK_LAST, NETDP_LOGISTIC));
    assert_ok(simulate_walk_of(NETDP_WALK_LAST, NETDP_RIDGE));
    assert_ok(describe_of(NETDP_LAPLACE, NETDP_TALLY_ONCE));
    for (int way = 0; way < 7; way++) {
        if (way != 5)
            assert_ok(variation_of(NETDP_VARY_EDGES, way));
        if (way < 2)
            assert_ok(value_of(dp, way));
        if (way < 3)
            assert_ok(attack_of(good, NETDP_HONEST_SILENT, 0, way));
        if (way < 4)
            assert_ok(learning_of(NETDP_RIDGE, way));
        if (way < 2)
            assert_ok(realised_of(NETDP_REALISED_LINEAR, way));
        if (way < 3)
            assert_ok(events_of(NETDP_LAPLACE, NETDP_UPPER, way));
        if (way < 3)
            assert_ok(shuffle_of(NETDP_SHUFFLE_CLONES, way));
        assert_ok(closed_of(NETDP_FORM_CORRECTED, way));
        if (way < 2)
            assert_ok(tally_paper_of(NETDP_FORM_PRINTED, way));
        if (way < 2)
            assert_ok(cycles_of(NETDP_SHUFFLE_BLANKET, NETDP_TALLY_LOCAL, way));
    }
    for (int way = 0; way < TALLY_WAYS; way++) {
        assert_ok(tally_all_of(sum, way));
        if (way != 3 && way != 4)
            assert_ok(tally_all_of(histogram, way));
    }
    assert_string_equal(netdp_claim_unit(NETDP_CLAIM_CHANCE), "probability");
}

static int set_up(void **state)
{
    (void)state;
    assert_ok(netdp_graph_make("complete 8", 1, true, &graph, NULL, &error));
    assert_ok(netdp_mixing_new(graph, "metropolis", &mixing, &error));
    assert_ok(netdp_transition_new(graph, "metropolis", &law, &error));
    protocol = (netdp_linear){.mixing = mixing, .rounds = 3, .noise.dither = 0.1};
    token = (netdp_token){.law = law, .steps = 16, .tokens = 1};
    sum = (netdp_tally){.nodes = 8, .passes = 2, .noise = 2, .high = 1};
    histogram = (netdp_tally){.task = NETDP_TALLY_HISTOGRAM,
                              .mechanism = NETDP_RANDOMISED_RESPONSE,
                              .nodes = 8,
                              .passes = 2,
                              .levels = 2,
                              .flip = 0.5};
    const netdp_synthesis synthesis = {
        .law = "gaussian-classes 2 rows=3", .classes = true, .split = 0.5, .nodes = 8, .seed = 1};
    assert_ok(netdp_examples_draw(&synthesis, &examples, &test, &error));
    for (int32_t i = 0; i < 17; i++)
        path[i] = i % 8;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    netdp_examples_free(examples);
    netdp_examples_free(test);
    netdp_transition_free(law);
    netdp_mixing_free(mixing);
    netdp_graph_free(graph);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_numbers), cmocka_unit_test(test_gossip),
        cmocka_unit_test(test_walks),        cmocka_unit_test(test_tallies),
        cmocka_unit_test(test_alone),        cmocka_unit_test(test_without_status),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
