/* What a guarantee is about, in words and as options: a node's data or a row of them, whole or in batches. */
#include <netdp/privacy.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/try.h"

static netdp_status check_batches(const netdp_batches *batches, netdp_error *error)
{
    TRY(netdp_i_check_choice("batches", (int64_t)batches->kind, NETDP_BATCHES_POISSON, error));
    if (batches->kind == NETDP_BATCHES_CYCLIC && batches->count < 1)
        return netdp_i_fail(error, NETDP_INVALID, "batches: cyclic:%lld; give 1 batch or more",
                            (long long)batches->count);
    if (batches->kind == NETDP_BATCHES_POISSON && !(batches->rate > 0 && batches->rate <= 1))
        return netdp_i_fail(error, NETDP_INVALID,
                            "batches: poisson:%g; give a probability above 0, at most 1",
                            batches->rate);
    return NETDP_OK;
}

netdp_status netdp_batches_parse(const char *text, netdp_batches *batches, netdp_error *error)
{
    NETDP_I_GIVEN(error, text && batches);
    static const struct {
        const char *word;
        netdp_batching kind;
    } kinds[] = {{"full", NETDP_BATCHES_FULL},
                 {"cyclic:", NETDP_BATCHES_CYCLIC},
                 {"poisson:", NETDP_BATCHES_POISSON}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i].word);
        netdp_batches read = {.kind = kinds[i].kind};
        double number = 0;
        if (strncmp(text, kinds[i].word, length) != 0 ||
            (read.kind == NETDP_BATCHES_FULL && text[length] != '\0') ||
            (read.kind != NETDP_BATCHES_FULL && !netdp_i_read_number(text + length, &number)))
            continue;
        if (read.kind == NETDP_BATCHES_CYCLIC && !(number >= 1 && number <= 1e9))
            number = 0;
        if (number == floor(number))
            read.count = read.kind == NETDP_BATCHES_CYCLIC ? (int64_t)number : 0;
        read.rate = read.kind == NETDP_BATCHES_POISSON ? number : 0;
        TRY(check_batches(&read, error));
        *batches = read;
        return NETDP_OK;
    }
    return netdp_i_fail(error, NETDP_INVALID,
                        "batches: '%s' is none of full, cyclic:B and poisson:Q",
                        netdp_i_show_text(text).text);
}

netdp_status netdp_protection_check(const netdp_protection *protection, netdp_error *error)
{
    NETDP_I_GIVEN(error, protection);
    const bool row = protection->protects == NETDP_PROTECTS_ROW;
    const bool poisson = protection->batches.kind == NETDP_BATCHES_POISSON;
    TRY(netdp_i_check_choice("protects", (int64_t)protection->protects, NETDP_PROTECTS_ROW, error));
    TRY(netdp_i_check_choice("change", (int64_t)protection->change, NETDP_CHANGE_ADD_REMOVE,
                             error));
    TRY(check_batches(&protection->batches, error));
    if (!row && protection->change != NETDP_CHANGE_REPLACE)
        return netdp_i_fail(error, NETDP_INVALID,
                            "change: add-remove is of rows; give protects row, or change replace");
    if (!row && poisson)
        return netdp_i_fail(error, NETDP_INVALID,
                            "batches: poisson hides whether a row took part, not a node; give "
                            "protects row, or another kind of batches");
    if (poisson && protection->change == NETDP_CHANGE_REPLACE)
        return netdp_i_fail(error, NETDP_INVALID,
                            "batches: poisson is accounted for with change add-remove; a replaced "
                            "row has another worst pair of laws, whose account is not proven here");
    return NETDP_OK;
}

const char *netdp_protection_words(const netdp_protection *protection)
{
    if (protection->protects == NETDP_PROTECTS_NODE)
        return "a node's whole data replaced";
    return protection->change == NETDP_CHANGE_REPLACE
               ? "one row of one node's data replaced"
               : "one row of one node's data added or removed";
}
