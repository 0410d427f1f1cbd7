/*
 * Keys of a peer.
 *
 * A signer is the Ed25519 key that the roster knows a member by; it lies in a file that only its
 * owner may read. For each attempt of a phase a peer makes an ephemeral X25519 key and signs it, so
 * that the noise of past attempts cannot be found from a key that is stolen later. Two peers' keys
 * give the secret of their pair, and that the key of the stream that both draw the pair's noise
 * from. Secrets lie in locked memory with guard pages (libsodium), out of core files, and are
 * zeroed when freed.
 */
#ifndef NETDP_I_PEER_KEYS_H
#define NETDP_I_PEER_KEYS_H

#include <stdbool.h>
#include <stdint.h>
#include <netdp/status.h>

#include "base/try.h"
#include "noise/secure.h"
#include "peer/link/frame.h"
#include "peer/package.h"

enum {
    NETDP_I_KEY = 32,       /* bytes of a public key */
    NETDP_I_SIGNATURE = 64, /* of a signature */
    NETDP_I_SINCE = 21,     /* of a time as text, with a NUL */
};

/* The one thing of a key that may be signed; a signature for one purpose is none for another. */
typedef enum netdp_i_signed_as {
    NETDP_I_SIGNED_EPHEMERAL, /* keys.c: an ephemeral key */
    NETDP_I_SIGNED_STATEMENT, /* statement.c: what a ledger says */
    NETDP_I_SIGNED_JOIN,      /* invitation.c: I hold this key, and join this study */
    NETDP_I_SIGNED_HEAD,      /* netdp_i_head_sign: so far is my ledger */
} netdp_i_signed_as;

typedef struct netdp_i_signer netdp_i_signer;

/* Makes a key and its file, mode 0600; a file that is there is not replaced. */
netdp_status netdp_i_signer_make(const char *path, netdp_i_signer **signer, netdp_error *error);
/* NETDP_INVALID where others may read the file, or it holds no key. */
netdp_status netdp_i_signer_load(const char *path, netdp_i_signer **signer, netdp_error *error);
void netdp_i_signer_free(netdp_i_signer *signer);
OWNER(netdp_i_signer_free, netdp_i_signer)

const unsigned char *netdp_i_signer_public(const netdp_i_signer *signer); /* [NETDP_I_KEY] */

/* The 32 secret bytes that the key comes from, for TLS; do not copy them. */
const unsigned char *netdp_i_signer_secret(const netdp_i_signer *signer);

/* Could its memory be locked? Where not (RLIMIT_MEMLOCK), it may come to lie in swap. */
bool netdp_i_signer_locked(const netdp_i_signer *signer);

/*
 * Of one key there is one ledger, and its file says which: since when (NULL: none has begun), whether it begins with
 * that row, and that it does from now on.
 */
const char *netdp_i_signer_since(const netdp_i_signer *signer);
bool netdp_i_signer_began(const netdp_i_signer *signer, const unsigned char first[NETDP_I_DIGEST]);
netdp_status netdp_i_signer_begin(const char *path, netdp_i_signer *signer,
                                  const unsigned char first[NETDP_I_DIGEST], int64_t time,
                                  netdp_error *error);

void netdp_i_sign(const netdp_i_signer *signer, netdp_i_signed_as what, const void *message,
                  size_t bytes, unsigned char signature[NETDP_I_SIGNATURE]);
bool netdp_i_signed(const unsigned char key[NETDP_I_KEY], netdp_i_signed_as what,
                    const void *message, size_t bytes,
                    const unsigned char signature[NETDP_I_SIGNATURE]);

/*
 * A ledger's head, signed by its owner: of one key there is one ledger over all studies, and one that is
 * shown without a head that its owner once signed is a copy from before. What was signed in test mode,
 * where there is a ledger of its own, says nothing about the real one.
 */
void netdp_i_head_sign(const netdp_i_signer *signer, const netdp_i_ledger_head *at, bool test,
                       unsigned char signature[NETDP_I_SIGNATURE]);
bool netdp_i_head_holds(const netdp_i_shown_head *shown, bool test,
                        const unsigned char key[NETDP_I_KEY]);

/* ---- Ephemeral keys ---- */

/* One attempt at one phase of one study. */
typedef struct netdp_i_attempt {
    unsigned char study[NETDP_I_DIGEST]; /* the package's digest */
    uint32_t phase, attempt;
    bool test; /* a rehearsal: what is signed in it is worth nothing outside */
} netdp_i_attempt;

typedef struct netdp_i_ephemeral netdp_i_ephemeral;

/* What is sent to all partners, through whoever hands it on. */
typedef struct netdp_i_offer {
    unsigned char key[NETDP_I_KEY]; /* X25519, public */
    unsigned char signature[NETDP_I_SIGNATURE];
} netdp_i_offer;

/* Member `node`'s key for this attempt, with its offer. */
netdp_status netdp_i_ephemeral_new(const netdp_i_signer *signer, const netdp_i_attempt *attempt,
                                   uint32_t node, netdp_i_ephemeral **ephemeral,
                                   netdp_i_offer *offer, netdp_error *error);
void netdp_i_ephemeral_free(netdp_i_ephemeral *ephemeral);
OWNER(netdp_i_ephemeral_free, netdp_i_ephemeral)

/*
 * The same key over restarts, until its contribution is stored: kept in a file of the folder that
 * only its owner may read, written and synced before the offer can leave. After
 * netdp_i_ephemeral_forget *ephemeral is NULL: the secret is overwritten there (a disk may still
 * have it), and the offer is what is left, for partners that come late. `reserved`: the ledger knows the
 * attempt, so the file was there before; a second key would leave its partners' noise standing, and where
 * it is missing that is NETDP_INVALID.
 */
netdp_status netdp_i_ephemeral_keep(const char *folder, const netdp_i_signer *signer,
                                    const netdp_i_attempt *attempt, uint32_t node, bool reserved,
                                    netdp_i_ephemeral **ephemeral, netdp_i_offer *offer,
                                    netdp_error *error);
/* Is there a file of that attempt's key? Then keeping it writes nothing. */
bool netdp_i_ephemeral_there(const char *folder, const netdp_i_attempt *attempt);
netdp_status netdp_i_ephemeral_forget(const char *folder, const netdp_i_attempt *attempt,
                                      bool there, netdp_error *error);

/* Did the member of that roster key make this offer, for this attempt and this mode? */
bool netdp_i_offer_holds(const netdp_i_offer *offer, const netdp_i_attempt *attempt, uint32_t node,
                         const unsigned char key[NETDP_I_KEY]);

/* False: a point of low order, with which every secret is the same. */
bool netdp_i_offer_is_key(const netdp_i_offer *offer);

/*
 * The stream of this member's own noise for a value: of the ephemeral secret, the attempt and the value, so
 * that a copy of the folder that begins again sends the same bytes, and another value has other noise.
 */
void netdp_i_own_stream(const netdp_i_ephemeral *ephemeral, const netdp_i_attempt *attempt,
                        const double *value, int32_t width, netdp_i_secure *stream);

/* What the ephemeral key and the other's have in common, of all phases of an attempt: as secret as the key itself, and
 * for as long. False: theirs is no key (a point of low order). The offer must hold. */
bool netdp_i_pair_secret(const netdp_i_ephemeral *ephemeral, const netdp_i_offer *offer,
                         unsigned char secret[NETDP_I_KEY]);

/* The stream of noise that members `mine` and `theirs` share in this phase, by that secret: both get the same, and nobody
 * else knows it. */
void netdp_i_pair_stream(const netdp_i_ephemeral *ephemeral, const netdp_i_attempt *attempt,
                         uint32_t mine, uint32_t theirs, const netdp_i_offer *offer,
                         const unsigned char secret[NETDP_I_KEY], netdp_i_secure *stream);

#endif
