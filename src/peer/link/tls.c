#include "peer/link/tls.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "base/fail.h"
#include "base/try.h"

enum { SECRETS = 1 << 16, LEAST_SECRET = 32 };

static netdp_status failed(const char *what, netdp_error *error)
{
    char text[160] = "no reason given";
    const unsigned long code = ERR_get_error();
    if (code != 0)
        ERR_error_string_n(code, text, sizeof text);
    ERR_clear_error();
    return netdp_i_fail(error, NETDP_ENVIRONMENT, "TLS: cannot %s: %s", what, text);
}

static bool fill(X509 *certificate, EVP_PKEY *key, int64_t seconds)
{
    X509_NAME *name = X509_get_subject_name(certificate);
    const unsigned char peer[] = "netdp peer";
    return X509_set_version(certificate, X509_VERSION_3) == 1 &&
           ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != NULL &&
           X509_gmtime_adj(X509_getm_notAfter(certificate), (long)seconds) != NULL &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, peer, -1, -1, 0) == 1 &&
           X509_set_issuer_name(certificate, name) == 1 && X509_set_pubkey(certificate, key) == 1 &&
           X509_sign(certificate, key, NULL) > 0;
}

/* The alert tells the other as much as the log tells here. */
static int alert_of(netdp_i_refusal refusal)
{
    switch (refusal) {
    case NETDP_I_REFUSE_NOTHING:
        return X509_V_OK;
    case NETDP_I_REFUSE_NOT_A_NEIGHBOUR:
        return X509_V_ERR_CERT_REVOKED; /* certificate_revoked */
    default:
        return X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN; /* unknown_ca */
    }
}

/*
 * Instead of a chain of signatures and of dates: the key, which the roster has. That the other holds it TLS shows. A
 * certificate is made anew at each start and says nothing of when the key is good: the package's last day does, which
 * each peer looks at by its own clock.
 */
static int judge_certificate(X509_STORE_CTX *store, void *none)
{
    (void)none;
    const SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    netdp_i_tls_party *party = SSL_get_app_data(ssl);
    X509 *certificate = X509_STORE_CTX_get0_cert(store);
    EVP_PKEY *key = certificate != NULL ? X509_get0_pubkey(certificate) : NULL;
    uint8_t raw[32] = {0}; /* of another kind of key: nobody's */
    size_t bytes = sizeof raw;
    if (key == NULL || EVP_PKEY_get_base_id(key) != EVP_PKEY_ED25519 ||
        EVP_PKEY_get_raw_public_key(key, raw, &bytes) != 1)
        memset(raw, 0, sizeof raw);
    const netdp_i_refusal refusal = party->judge(party, raw);
    X509_STORE_CTX_set_error(store, alert_of(refusal));
    return refusal == NETDP_I_REFUSE_NOTHING;
}

/* Each of them costs work and brings no frame: whoever sends them is refused. */
static void count_strays(int sent, int version, int kind, const void *bytes, size_t size, SSL *ssl,
                         void *none)
{
    netdp_i_tls_party *party = SSL_get_app_data(ssl);
    (void)version, (void)bytes, (void)size, (void)none;
    if (sent == 0 && kind == SSL3_RT_HANDSHAKE && party->settled)
        party->strays++;
}

static bool settle(SSL_CTX *tls, X509 *certificate, EVP_PKEY *key)
{
    SSL_CTX_set_options(tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_clear_mode(tls, SSL_MODE_AUTO_RETRY); /* one record a call, whatever is in it */
    SSL_CTX_set_msg_callback(tls, count_strays);
    return SSL_CTX_set_min_proto_version(tls, TLS1_3_VERSION) == 1 &&
           SSL_CTX_set_max_proto_version(tls, TLS1_3_VERSION) == 1 &&
           SSL_CTX_set_num_tickets(tls, 0) == 1 && SSL_CTX_set1_groups_list(tls, "X25519") == 1 &&
           SSL_CTX_set1_sigalgs_list(tls, "ed25519") == 1 &&
           SSL_CTX_use_certificate(tls, certificate) == 1 && SSL_CTX_use_PrivateKey(tls, key) == 1;
}

/*
 * OpenSSL keeps a copy of the key: in locked pages that core files leave out, if there are any. The raw
 * way in, EVP_PKEY_new_raw_private_key, would leave it in the heap; PKCS #8 does not.
 */
static EVP_PKEY *take_key(const uint8_t seed[32])
{
    static const uint8_t head[] = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
                                   0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
    uint8_t whole[sizeof head + 32];
    const uint8_t *at = whole;
    if (CRYPTO_secure_malloc_initialized() == 0)
        (void)CRYPTO_secure_malloc_init(SECRETS, LEAST_SECRET);
    memcpy(whole, head, sizeof head);
    memcpy(whole + sizeof head, seed, 32);
    EVP_PKEY *key = d2i_PrivateKey(EVP_PKEY_ED25519, NULL, &at, sizeof whole);
    OPENSSL_cleanse(whole, sizeof whole);
    return key;
}

OWNER(EVP_PKEY_free, EVP_PKEY)
OWNER(X509_free, X509)
OWNER(SSL_CTX_free, SSL_CTX)

netdp_status netdp_i_tls_new(const uint8_t seed[32], int64_t seconds, SSL_CTX **tls,
                             netdp_error *error)
{
    OWNED_BY(EVP_PKEY_free) EVP_PKEY *key = take_key(seed);
    OWNED_BY(X509_free) X509 *certificate = X509_new();
    OWNED_BY(SSL_CTX_free) SSL_CTX *made = SSL_CTX_new(TLS_method());
    if (key == NULL || certificate == NULL || made == NULL)
        return failed("begin", error);
    SSL_CTX_set_verify(made, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    SSL_CTX_set_cert_verify_callback(made, judge_certificate, NULL);
    if (!fill(certificate, key, seconds))
        return failed("make a certificate", error);
    if (!settle(made, certificate, key))
        return failed("take its settings", error);
    *tls = GIVE(made);
    return NETDP_OK;
}

SSL *netdp_i_tls_begin(SSL_CTX *tls, int socket, bool dials, netdp_i_tls_party *party)
{
    SSL *ssl = SSL_new(tls);
    if (ssl == NULL)
        return NULL;
    if (SSL_set_fd(ssl, socket) != 1 || SSL_set_app_data(ssl, party) != 1) {
        SSL_free(ssl);
        return NULL;
    }
    if (dials)
        SSL_set_connect_state(ssl);
    else
        SSL_set_accept_state(ssl);
    return ssl;
}
