/* Why a connection or a frame is refused: one table, whose words logs and metrics use. */
#ifndef NETDP_I_REFUSAL_H
#define NETDP_I_REFUSAL_H

/* Name, word, what it means. Append only: numbers travel in goodbyes. */
/* clang-format off */
#define NETDP_I_REFUSALS(row) \
    row(NOTHING, "nothing", "nothing is refused") \
    row(UNKNOWN_KEY, "unknown-key", "the certificate's key is not in the roster") \
    row(NOT_A_NEIGHBOUR, "not-a-neighbour", "the roster has no edge to this participant") \
    row(EXPIRED, "expired", "of earlier versions: the certificate is not valid at this time") \
    row(HANDSHAKE, "handshake", "no knock came, or TLS 1.3 with a certificate did not come about") \
    row(TOO_MANY, "too-many", "more connections wait for their handshake than are allowed") \
    row(TOO_SLOW, "too-slow", "the other said nothing, or took nothing, for too long") \
    row(WRONG_VERSION, "wrong-version", "the frame is of another version of the protocol") \
    row(OVERSIZED, "oversized", "the frame is longer than this study's frames are") \
    row(MALFORMED, "malformed", "the frame's length or fields are not those of its kind") \
    row(TRUNCATED, "truncated", "the connection ended within a frame") \
    row(NOT_FINITE, "not-finite", "a number of the frame is NaN or infinite") \
    row(NO_HELLO, "no-hello", "a hello comes first, once") \
    row(WRONG_DIGEST, "wrong-digest", "the other runs another study") \
    row(WRONG_INDEX, "wrong-index", "the other says that it is somebody else") \
    row(WRONG_MODE, "wrong-mode", "one runs in test mode, the other does not") \
    row(LEDGER_WENT_BACK, "ledger-went-back", "the other's ledger is older than the one it showed before: a restored copy") \
    row(REPLAYED, "replayed", "the frame is there already") \
    row(OUT_OF_ORDER, "out-of-order", "the frame is of a round that nobody can have reached") \
    row(WRONG_ATTEMPT, "wrong-attempt", "the frame is of another attempt") \
    row(BAD_SIGNATURE, "bad-signature", "a pair key or a ledger's head is not signed by the roster's key") \
    row(SECOND_KEY, "second-key", "a participant signed two pair keys for one attempt: the noise of one of them stays in the result") \
    row(FALSE_HEAD, "false-head", "the other says that it has seen a later ledger of this peer, and cannot show that this peer signed it") \
    row(TOO_MUCH, "too-much", "more came from the other than a study needs (netdp net doctor prints the limits)") \
    row(TOO_LARGE, "too-large", "a number of the vector is farther from 0 than any of the study is: it is dropped, and the edge is lost in that round") \
    row(NO_PAIR_KEY, "no-pair-key", "what a participant signed as its pair key is a point of low order, with which nobody has a secret") \
    row(SAID_NOTHING, "said-nothing", "a connection ended before a byte came: netdp net doctor of a neighbour, or somebody who looks for open ports")
/* clang-format on */

typedef enum netdp_i_refusal {
#define NETDP_I_REFUSAL_NUMBER(name, word, what) NETDP_I_REFUSE_##name,
    NETDP_I_REFUSALS(NETDP_I_REFUSAL_NUMBER) /**/
#undef NETDP_I_REFUSAL_NUMBER
    NETDP_I_REFUSALS_COUNT
} netdp_i_refusal;

/* "unknown-key"; "?" of a number that is none. */
const char *netdp_i_refusal_word(netdp_i_refusal refusal);

#endif
