/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: mbedtls_ssl_config kept, an mbedtls_ssl_context a connection. 2.28 has TLS 1.2, 3.6 has 1.3 as well.
 *
 * The library compares certificates with the system's clock alone, so that the callback of verification puts the time
 * of the case in its place.
 */
#include "data.h"

#include <stdio.h>
#include <string.h>

#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/ssl.h>
#include <mbedtls/ssl_cache.h>
#include <mbedtls/ssl_ticket.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>

#if MBEDTLS_VERSION_NUMBER >= 0x03000000
#define NEW 1
#include <psa/crypto.h>
#endif

enum { LIFETIME = 86400, X509_LEAST = 0x2080, X509_MOST = 0x2f80 };

typedef struct both {
    struct both *of; /* whose configuration it is: its own, or another case's */
    mbedtls_ssl_config config[TLS_SIDES];
    mbedtls_ssl_context *ssl[TLS_SIDES], own[TLS_SIDES];
    mbedtls_x509_crt root, path[TLS_SIDES];
    mbedtls_pk_context key[TLS_SIDES];
    mbedtls_ssl_ticket_context ticket;
    mbedtls_ssl_session session;
    mbedtls_ssl_cache_context cache;
    int suites[2];
    int64_t time;
#ifdef NEW
    uint16_t groups[TLS_SIDES][TLS_GROUPS], signatures[3];
#else
    mbedtls_ecp_group_id groups[TLS_SIDES][TLS_GROUPS];
    int digests[2];
#endif
} both;

static mbedtls_entropy_context entropy;
static mbedtls_ctr_drbg_context drbg;

static int fail(const char *what, int ret)
{
    char text[100];

    snprintf(text, sizeof text, "%s: -0x%04x", what, (unsigned)-ret);
    return cs_fail(text);
}

/* ---- transport ---- */

static int send_to(void *end, const unsigned char *from, size_t len)
{
    return tls_send(end, from, len) ? (int)len : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
}

static int receive_from(void *end, unsigned char *to, size_t len)
{
    size_t n = tls_receive(end, to, len);

    return n > 0 ? (int)n : MBEDTLS_ERR_SSL_WANT_READ;
}

/* ---- what is kept ---- */

static void teardown(tls_case *s)
{
    both *b = s->library;

    s->library = NULL;
    if (b == NULL || b->of != b) {
        cs_free(b);
        return;
    }
    mbedtls_ssl_config_free(&b->config[TLS_CLIENT]);
    mbedtls_ssl_config_free(&b->config[TLS_SERVER]);
    mbedtls_x509_crt_free(&b->root);
    for (int side = 0; side < TLS_SIDES; side++) {
        mbedtls_x509_crt_free(&b->path[side]);
        mbedtls_pk_free(&b->key[side]);
    }
    mbedtls_ssl_ticket_free(&b->ticket);
    mbedtls_ssl_session_free(&b->session);
    mbedtls_ssl_cache_free(&b->cache);
    cs_free(b);
}

/* Days before a date of the Gregorian calendar. */
static int64_t days(int year, int month, int day)
{
    static const int before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int64_t y = year - (month <= 2);

    return 365 * (int64_t)year + y / 4 - y / 100 + y / 400 + before[month - 1] + day;
}

static int64_t seconds(const mbedtls_x509_time *t)
{
    int64_t since = days(t->year, t->mon, t->day) - days(1970, 1, 1);

    return ((since * 24 + t->hour) * 60 + t->min) * 60 + t->sec;
}

static int check_time(void *of, mbedtls_x509_crt *certificate, int depth, uint32_t *flags)
{
    const both *b = of;

    (void)depth;
    *flags &= ~(uint32_t)(MBEDTLS_X509_BADCERT_EXPIRED | MBEDTLS_X509_BADCERT_FUTURE);
    if (seconds(&certificate->valid_to) < b->time)
        *flags |= MBEDTLS_X509_BADCERT_EXPIRED;
    if (seconds(&certificate->valid_from) > b->time)
        *flags |= MBEDTLS_X509_BADCERT_FUTURE;
    return 0;
}

#ifndef NEW
static mbedtls_ecp_group_id curve_of(int group)
{
    return group == TLS_X25519 ? MBEDTLS_ECP_DP_CURVE25519
           : group == TLS_P384 ? MBEDTLS_ECP_DP_SECP384R1
                               : MBEDTLS_ECP_DP_SECP256R1;
}
#endif

/* The list that is offered is also what the curve of a certificate's key must be in. */
static void choose(both *b, int side, const tls_wish *wish)
{
    mbedtls_ssl_config *config = &b->config[side];
    int groups[TLS_GROUPS];

    tls_groups(wish, side, groups);
    b->suites[0] = wish->suite;
    mbedtls_ssl_conf_ciphersuites(config, b->suites);
#ifdef NEW
    for (size_t i = 0; groups[i] != 0; i++)
        b->groups[side][i] = (uint16_t)groups[i];
    b->signatures[0] = (uint16_t)wish->signature;
    b->signatures[1] = wish->signature == TLS_RSA_PSS || wish->rsa_issuer ? TLS_RSA_PKCS1 : 0;
    mbedtls_ssl_conf_groups(config, b->groups[side]);
    mbedtls_ssl_conf_sig_algs(config, b->signatures);
    mbedtls_ssl_conf_min_tls_version(config, (mbedtls_ssl_protocol_version)wish->version);
    mbedtls_ssl_conf_max_tls_version(config, (mbedtls_ssl_protocol_version)wish->version);
#else
    for (size_t i = 0; groups[i] != 0; i++)
        b->groups[side][i] = curve_of(groups[i]);
    b->digests[0] = wish->cert == TLS_CERT_P384 ? MBEDTLS_MD_SHA384 : MBEDTLS_MD_SHA256;
    mbedtls_ssl_conf_curves(config, b->groups[side]);
    mbedtls_ssl_conf_sig_hashes(config, b->digests);
    mbedtls_ssl_conf_min_version(config, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
    mbedtls_ssl_conf_max_version(config, MBEDTLS_SSL_MAJOR_VERSION_3, MBEDTLS_SSL_MINOR_VERSION_3);
#endif
    mbedtls_ssl_conf_rng(config, mbedtls_ctr_drbg_random, &drbg);
}

static void give_tickets(both *b, int count)
{
#ifdef NEW
    mbedtls_ssl_conf_new_session_tickets(&b->config[TLS_SERVER], (uint16_t)count);
#else
    (void)b, (void)count;
#endif
}

static int set_tickets(both *b, const tls_wish *wish)
{
    int ret = 0;

    mbedtls_ssl_conf_session_tickets(&b->config[TLS_CLIENT], wish->resumes ? MBEDTLS_SSL_SESSION_TICKETS_ENABLED
                                                                           : MBEDTLS_SSL_SESSION_TICKETS_DISABLED);
#ifdef NEW
    mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(&b->config[TLS_CLIENT],
                                                             MBEDTLS_SSL_TLS1_3_SIGNAL_NEW_SESSION_TICKETS_ENABLED);
#endif
    give_tickets(b, wish->resumes);
    if (wish->resumes) {
        ret =
            mbedtls_ssl_ticket_setup(&b->ticket, mbedtls_ctr_drbg_random, &drbg, MBEDTLS_CIPHER_AES_128_GCM, LIFETIME);
        mbedtls_ssl_conf_session_tickets_cb(&b->config[TLS_SERVER], mbedtls_ssl_ticket_write, mbedtls_ssl_ticket_parse,
                                            &b->ticket);
    }
    return ret;
}

static int parse_key(mbedtls_pk_context *to, cs_span key)
{
#ifdef NEW
    return mbedtls_pk_parse_key(to, key.data, key.len, NULL, 0, mbedtls_ctr_drbg_random, &drbg);
#else
    return mbedtls_pk_parse_key(to, key.data, key.len, NULL, 0);
#endif
}

/* The certificates that a side sends, and the key that it proves. */
static int certify(both *b, int side, const cs_span *path, size_t length, cs_span key)
{
    int ret = 0;

    for (size_t i = 0; i < length && ret == 0; i++)
        ret = mbedtls_x509_crt_parse_der(&b->path[side], path[i].data, path[i].len);
    if (ret == 0)
        ret = parse_key(&b->key[side], key);
    return ret == 0 ? mbedtls_ssl_conf_own_cert(&b->config[side], &b->path[side], &b->key[side]) : ret;
}

/* A key that both sides have from elsewhere: no certificate is asked for then. */
static int know_key(both *b, int side, cs_span key)
{
    if (key.data == NULL)
        return 0;
#ifdef NEW
    mbedtls_ssl_conf_tls13_key_exchange_modes(&b->config[side], MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_EPHEMERAL);
#endif
    return mbedtls_ssl_conf_psk(&b->config[side], key.data, key.len, (const unsigned char *)TLS_IDENTITY,
                                sizeof TLS_IDENTITY - 1);
}

/* What the peer's certificate must be. */
static void verify_peer(both *b, int side)
{
    mbedtls_ssl_conf_authmode(&b->config[side], MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(&b->config[side], &b->root, NULL);
    mbedtls_ssl_conf_verify(&b->config[side], check_time, b);
}

static int setup(tls_case *s)
{
    const tls_wish *wish = &s->wish;
    both *b = s->library = cs_alloc(sizeof *b);
    int ret = 0;

    if (b == NULL)
        return CS_ERROR;
    b->of = b;
    b->time = s->wish.time;
    mbedtls_x509_crt_init(&b->root);
    mbedtls_ssl_ticket_init(&b->ticket);
    mbedtls_ssl_session_init(&b->session);
    mbedtls_ssl_cache_init(&b->cache);
    for (int side = 0; side < TLS_SIDES; side++) {
        mbedtls_x509_crt_init(&b->path[side]);
        mbedtls_pk_init(&b->key[side]);
        mbedtls_ssl_config_init(&b->config[side]);
        if (ret == 0)
            ret = mbedtls_ssl_config_defaults(&b->config[side],
                                              side == TLS_CLIENT ? MBEDTLS_SSL_IS_CLIENT : MBEDTLS_SSL_IS_SERVER,
                                              MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
        choose(b, side, wish);
        if (ret == 0)
            ret = know_key(b, side, wish->psk[side]);
    }
    if (ret == 0)
        ret = mbedtls_x509_crt_parse_der(&b->root, wish->root.data, wish->root.len);
    if (ret == 0)
        ret = set_tickets(b, wish);
    if (ret == 0)
        ret = certify(b, TLS_SERVER, wish->path, wish->path_length, wish->key);
    verify_peer(b, TLS_CLIENT);
    if (wish->session)
        mbedtls_ssl_conf_session_cache(&b->config[TLS_SERVER], &b->cache, mbedtls_ssl_cache_get, mbedtls_ssl_cache_set);
    if (wish->mutual) {
        if (ret == 0)
            ret = certify(b, TLS_CLIENT, wish->client_path, wish->path_length, wish->client_key);
        verify_peer(b, TLS_SERVER);
    }
    return ret == 0 ? CS_OK : fail("configuration", ret);
}

static int share(tls_case *s, const tls_case *of)
{
    both *b = s->library = cs_alloc(sizeof *b);

    if (b == NULL)
        return CS_ERROR;
    b->of = of->library;
    return CS_OK;
}

/* ---- a connection ---- */

static void close_side(tls_case *s, int side)
{
    both *b = s->library;

    mbedtls_ssl_free(b->ssl[side]);
    if (b->ssl[side] != &b->own[side])
        cs_free(b->ssl[side]);
}

static int open_side(tls_case *s, int side)
{
    both *b = s->library;
    mbedtls_ssl_context *ssl = s->ledger == NULL ? &b->own[side] : cs_alloc(sizeof *ssl);
    int ret;

    if (ssl == NULL)
        return CS_ERROR;
    b->ssl[side] = ssl;
    mbedtls_ssl_init(ssl);
    ret = mbedtls_ssl_setup(ssl, &b->of->config[side]);
    if (ret == 0 && side == TLS_CLIENT) {
        ret = mbedtls_ssl_set_hostname(ssl, s->wish.host);
        if (ret == 0 && (s->wish.resumes || s->wish.session) && !s->first)
            ret = mbedtls_ssl_set_session(ssl, &b->session);
    }
    if (ret != 0) {
        close_side(s, side);
        return fail("mbedtls_ssl_setup", ret);
    }
    mbedtls_ssl_set_bio(ssl, &s->end[side], send_to, receive_from, NULL);
    return CS_OK;
}

static int step(tls_case *s, int side)
{
    both *b = s->library;
    int ret = mbedtls_ssl_handshake(b->ssl[side]);

    if (ret == 0)
        return TLS_DONE;
    if (ret == MBEDTLS_ERR_SSL_WANT_READ)
        return TLS_WAITS;
    if ((side == TLS_CLIENT || s->wish.mutual) && -ret >= X509_LEAST && -ret <= X509_MOST)
        return TLS_REFUSED;
    fail(side == TLS_CLIENT ? "client, mbedtls_ssl_handshake" : "server, mbedtls_ssl_handshake", ret);
    return TLS_FAILED;
}

/* Whether a session was resumed is not in the interface, nor is the group; of TLS 1.3 a side's signature is the only
 * one that the other offered and that may prove a key there. */
static void told(tls_case *s, int side, tls_agreed *agreed)
{
    const both *b = s->library;
    const mbedtls_ssl_context *ssl = b->ssl[side];

#ifdef NEW
    agreed->version = mbedtls_ssl_get_version_number(ssl);
    agreed->suite = mbedtls_ssl_get_ciphersuite_id_from_ssl(ssl);
#else
    agreed->version = strcmp(mbedtls_ssl_get_version(ssl), "TLSv1.2") == 0 ? TLS_1_2 : 0;
    agreed->suite = mbedtls_ssl_get_ciphersuite_id(mbedtls_ssl_get_ciphersuite(ssl));
#endif
    if (agreed->version != TLS_1_3 || s->wish.resumes || s->wish.external)
        return;
    agreed->signature = s->wish.signature;
    if (s->wish.mutual && side == TLS_SERVER)
        agreed->client_signature = mbedtls_ssl_get_peer_cert(ssl) != NULL ? s->wish.signature : 0;
}

static int keep(tls_case *s)
{
    both *b = s->library;
    int ret = 0;

#ifdef NEW
    unsigned char byte;

    /* The first read of a client finds the ticket, the next one takes it. */
    if (s->wish.version == TLS_1_3) {
        mbedtls_ssl_read(b->ssl[TLS_SERVER], &byte, 1);
        for (int i = 0; i < 3 && ret != MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET; i++)
            ret = mbedtls_ssl_read(b->ssl[TLS_CLIENT], &byte, 1);
        if (ret != MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET)
            return fail("no ticket came", ret);
        ret = 0;
    }
#endif
    give_tickets(b, 0);
    if (ret == 0)
        ret = mbedtls_ssl_get_session(b->ssl[TLS_CLIENT], &b->session);
    return ret == 0 ? CS_OK : fail("mbedtls_ssl_get_session", ret);
}

const tls_library tls_here = {setup, teardown, open_side, step, told, close_side, keep, share};

/* A record takes as much as fits into it. */
static int write_data(tls_case *s, int side, const uint8_t *from, int len)
{
    for (int at = 0, n; at < len; at += n) {
        n = mbedtls_ssl_write(((both *)s->library)->ssl[side], from + at, (size_t)(len - at));
        if (n <= 0)
            return 0;
    }
    return 1;
}

static int read_data(tls_case *s, int side, uint8_t *to, int most)
{
    int ret = mbedtls_ssl_read(((both *)s->library)->ssl[side], to, (size_t)most);

    if (ret > 0)
        return ret;
    return ret == MBEDTLS_ERR_SSL_WANT_READ ? 0 : -fail("mbedtls_ssl_read", ret);
}

const tls_data tls_data_here = {write_data, read_data};

static void *part(tls_case *s, int side)
{
    return ((both *)s->library)->ssl[side];
}

static void join(tls_case *s, int side, void *connection)
{
    ((both *)s->library)->ssl[side] = connection;
}

const tls_idle tls_idle_here = {part, join, {0, 0}};

/* ---- identity ---- */

static const char *seed(void)
{
    mbedtls_entropy_init(&entropy);
    mbedtls_ctr_drbg_init(&drbg);
#ifdef NEW
    if (psa_crypto_init() != PSA_SUCCESS)
        return "psa_crypto_init";
#endif
    return mbedtls_ctr_drbg_seed(&drbg, mbedtls_entropy_func, &entropy, NULL, 0) == 0 ? NULL : "mbedtls_ctr_drbg_seed";
}

static int open_library(void)
{
    return seed() == NULL ? CS_OK : CS_ERROR;
}

TLS_WHY(no_mldsa, "Mbed TLS has no ML-DSA")

static const char *no_ed25519(const cs_op *op)
{
    (void)op;
    return "Mbed TLS has no Ed25519";
}

#ifdef MBEDTLS_THREADING_C
#define ONE_THREAD
#else
TLS_WHY(no_threads, "this build has no locks (MBEDTLS_THREADING_C): one thread alone may use it")

#define ONE_THREAD TLS_LACKS(TLS_AXIS_MORE_THREADS, no_threads),
#endif

#ifdef NEW

TLS_WHY(no_hybrid, "Mbed TLS has no groups with ML-KEM")
TLS_WHY(no_early, "upstream's configuration leaves early data out")

static const cs_op ops[] = {TLS_LACKS(TLS_AXIS_MLDSA, no_mldsa), ONE_THREAD TLS_LACKS(TLS_AXIS_EARLY, no_early),
                            TLS_LACKS("cert=ed25519", no_ed25519), TLS_LACKS(TLS_AXIS_POSTQUANTUM, no_hybrid),
                            TLS_ROWS("mbedtls_ssl_handshake")};

#else

static const char *no_13(const cs_op *op)
{
    (void)op;
    return "Mbed TLS has TLS 1.3 from 3.0 on";
}

static const cs_op ops[] = {TLS_LACKS(TLS_AXIS_MLDSA, no_mldsa), ONE_THREAD TLS_LACKS("version=1.3", no_13),
                            TLS_LACKS("cert=ed25519", no_ed25519), TLS_ROWS("mbedtls_ssl_handshake")};

#endif

static const char *version(void)
{
    static char text[24];

    mbedtls_version_get_string(text);
    return text;
}

static const cs_library library = {.abi = CS_ABI,
                                   .id = "tls",
                                   .version = version,
                                   .version_from = "library",
                                   .open = open_library,
                                   .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(library)
