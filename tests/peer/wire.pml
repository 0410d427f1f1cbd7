/*
 * The wire of peers, as docs/peer-wire.md has it, with one honest member, its honest neighbour, and a liar between them who
 * may repeat every signature that was ever made, in any order. What must hold:
 *
 *   one key      the neighbour never finds two keys of the honest member for one attempt (it would be framed: second-key)
 *   one price    the member draws no second contribution for an attempt, though its folder may come back from a copy, as long
 *                as the neighbour has not forgotten
 *   no stopping  the member stops as a copy only where its folder did come back
 *
 * A rehearsal (test mode) makes a new key at every start. With -DMODE_UNSIGNED offers and heads are signed without the mode, as
 * they were in version 2 of the frames for offers, with -DATTEMPT_UNSIGNED without the attempt, with -DHEAD_UNPROVEN a
 * neighbour's word about a head is believed: spin must find the fault of each (test_model.py).
 */
#define REAL 0
#define TEST 1
#define MODES 2
#define ATTEMPTS 2
#define KEYS 3 /* that a member may make in each mode */
#define ROWS 3

/* offer[mode * 8 + attempt * 4 + key]: the member has signed it; the liar has it, too. */
bool offer[16];
/* head[mode * 4 + rows]: the member has signed that its ledger had so many rows. */
bool head[8];

/* The member's folder, and the copy that may come back. */
byte rows, attempt, key, contributed[ATTEMPTS];
bool stored, went_back, is_copy;
byte kept_rows, kept_attempt, kept_key;
bool kept_stored, kept;
byte made; /* keys of the real attempts so far */

/* What the neighbour knows. */
byte known_rows;
byte known_key[ATTEMPTS];
bool has_key[ATTEMPTS];

#define OFFER(m, a, k) offer[(m) * 8 + (a) * 4 + (k)]
#define HEAD(m, r) head[(m) * 4 + (r)]

/* Does a signature of the member say that `k` is its key of the real attempt `a`? */
inline check_offer(a, k, fine)
{
    fine = OFFER(REAL, a, k);
#ifdef MODE_UNSIGNED
    fine = fine || OFFER(TEST, a, k);
#endif
#ifdef ATTEMPT_UNSIGNED
    fine = fine || OFFER(REAL, 1 - a, k);
#endif
}

inline check_head(r, fine)
{
    fine = HEAD(REAL, r);
#ifdef HEAD_UNPROVEN
    fine = true;
#endif
}

/* A rehearsal with another key at every start, of either attempt's number; its ledger is one of its own. */
proctype rehearsal()
{
    byte starts;
    do
    :: starts < KEYS - 1 ->
        if
        :: OFFER(TEST, 0, starts) = true
        :: OFFER(TEST, 1, starts) = true
        fi;
        HEAD(TEST, starts + 1) = true;
        starts++
    :: break
    od
}

proctype member()
{
    byte remembered;
    bool fine;
    do
    :: !kept -> atomic { /* somebody keeps a copy of the folder */
        kept = true; kept_rows = rows; kept_attempt = attempt; kept_key = key; kept_stored = stored
       }
    :: kept && !went_back && rows > kept_rows -> atomic { /* and brings it back */
        went_back = true; rows = kept_rows; attempt = kept_attempt; key = kept_key; stored = kept_stored
       }
    :: !stored && key == 0 && made < KEYS - 1 -> atomic { /* the attempt's key: kept in the folder before the offer leaves */
        made++; key = made; OFFER(REAL, attempt, key) = true
       }
    :: !stored && key != 0 -> atomic { /* a contribution, after the neighbour has said what it remembers */
        remembered = known_rows;
        if
        :: remembered > rows -> is_copy = true; goto end
        :: else -> skip
        fi;
        rows++; stored = true;
        contributed[attempt]++;
        assert(contributed[attempt] == 1); /* one price */
        HEAD(REAL, rows) = true;
        known_rows = rows /* the head goes before the vector, and is remembered durably */
       }
    :: stored && attempt + 1 < ATTEMPTS -> atomic { attempt++; stored = false; key = 0 }
    :: atomic { /* a hello in which the liar says what it "remembers" */
        if
        :: remembered = 0
        :: remembered = 1
        :: remembered = 2
        :: remembered = 3
        fi;
        check_head(remembered, fine);
        if
        :: remembered > rows && fine ->
            is_copy = true;
            assert(went_back); /* no stopping */
            goto end
        :: else -> skip
        fi
       }
    :: stored && attempt + 1 == ATTEMPTS -> goto end
    od;
end:
    skip
}

/* Hears of keys by whoever hands them on. */
proctype neighbour()
{
    byte a, k, heard;
    bool fine;
    do
    :: heard < 4 -> atomic {
        heard++;
        if
        :: a = 0
        :: a = 1
        fi;
        if
        :: k = 0
        :: k = 1
        :: k = 2
        fi;
        check_offer(a, k, fine);
        if
        :: fine && has_key[a] -> assert(known_key[a] == k || went_back) /* one key */
        :: fine && !has_key[a] -> has_key[a] = true; known_key[a] = k
        :: else -> skip
        fi
       }
    :: break
    od
}

init
{
    atomic { run rehearsal(); run member(); run neighbour() }
}
