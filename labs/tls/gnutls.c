/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: credentials and priorities kept, a gnutls_session_t a connection, push and pull functions of our own.
 */
#include "gnutls_shared.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gnutls/x509.h>

static _Thread_local time_t moment; /* the library asks a function for the time, and hands it nothing */

static time_t now(time_t *to)
{
    if (to != NULL)
        *to = moment;
    return moment;
}

/* ---- transport ---- */

static ssize_t push(gnutls_transport_ptr_t end, const void *from, size_t len)
{
    return tls_send(end, from, len) ? (ssize_t)len : -1;
}

static ssize_t pull(gnutls_transport_ptr_t at, void *to, size_t most)
{
    const tls_end *end = at;
    size_t n = tls_receive(end, to, most);

    if (n > 0)
        return (ssize_t)n;
    gnutls_transport_set_errno(((both *)end->of->library)->session[end->side], EAGAIN);
    return -1;
}

static int there_is(gnutls_transport_ptr_t at, unsigned ms)
{
    const tls_end *end = at;
    const tls_pipe *from = &end->of->pipe[TLS_SIDES - 1 - end->side];

    (void)ms;
    return end->of->transport != NULL || from->written > from->read;
}

/* ---- what is kept ---- */

static void teardown(tls_case *s)
{
    both *b = s->library;

    if (b == NULL)
        return;
    for (int side = 0; side < TLS_SIDES && !b->lent; side++) {
        if (b->credentials[side] != NULL)
            gnutls_certificate_free_credentials(b->credentials[side]);
        if (b->priority[side] != NULL)
            gnutls_priority_deinit(b->priority[side]);
    }
    own_forget_keys(b);
    if (b->replay != NULL)
        gnutls_anti_replay_deinit(b->replay);
    gnutls_free(b->ticket_key.data);
    gnutls_free(b->ticket.data);
    gnutls_free(b->kept[0].data);
    gnutls_free(b->kept[1].data);
    cs_free(b);
    s->library = NULL;
}

static const char *name_of(int group)
{
    return group == TLS_X25519 ? "X25519" : group == TLS_P384 ? "SECP384R1" : "SECP256R1";
}

static int set_priority(both *b, const tls_wish *wish, int side)
{
    static const char *const key_exchange[] = {"+ECDHE-ECDSA:+SIGN-ECDSA-SHA256:+SIGN-ECDSA-SECP256R1-SHA256",
                                               "+ECDHE-RSA:+SIGN-RSA-SHA256", "+ECDHE-ECDSA:+SIGN-EDDSA-ED25519",
                                               "+ECDHE-ECDSA:+SIGN-ECDSA-SHA384:+SIGN-ECDSA-SECP384R1-SHA384"};
    static const char *const ciphers[TLS_CIPHERS] = {"AES-128-GCM", "AES-256-GCM", "CHACHA20-POLY1305"};
    int old = wish->version == TLS_1_2, groups[TLS_GROUPS];
    char text[300];
    size_t len;

    snprintf(text, sizeof text, "NONE:+VERS-TLS1.%d:+COMP-NULL:+%s:+AEAD:%s%s%s", old ? 2 : 3, ciphers[wish->cipher],
             !old && wish->cert == TLS_CERT_RSA ? "+SIGN-RSA-PSS-RSAE-SHA256:" : "",
             wish->external ? "+DHE-PSK:+ECDHE-PSK:+SIGN-ECDSA-SHA256:+SIGN-ECDSA-SECP256R1-SHA256"
                            : key_exchange[wish->cert],
             wish->rsa_issuer ? ":+SIGN-RSA-SHA256" : "");
    tls_groups(wish, side, groups);
    for (size_t i = 0; groups[i] != 0; i++) {
        len = strlen(text);
        snprintf(text + len, sizeof text - len, ":+GROUP-%s", name_of(groups[i]));
    }
    return gnutls_priority_init(&b->priority[side], text, NULL);
}

/* What the peer's certificate must be signed by. */
static int trust(gnutls_certificate_credentials_t credentials, const tls_wish *wish)
{
    gnutls_datum_t root = own_datum(wish->root);
    int ret = gnutls_certificate_set_x509_trust_mem(credentials, &root, GNUTLS_X509_FMT_DER);

    return ret < 0 ? ret : 0;
}

/* The certificates that a side sends, and the key that it proves. */
static int certify(gnutls_certificate_credentials_t credentials, const cs_span *certificates, size_t length,
                   cs_span private)
{
    gnutls_x509_crt_t path[TLS_PATH];
    gnutls_x509_privkey_t key = NULL;
    gnutls_datum_t bytes = own_datum(private);
    size_t made = 0;
    int ret = 0;

    for (; made < length && ret == 0; made++) {
        gnutls_datum_t one = own_datum(certificates[made]);

        ret = gnutls_x509_crt_init(&path[made]);
        if (ret == 0)
            ret = gnutls_x509_crt_import(path[made], &one, GNUTLS_X509_FMT_DER);
    }
    if (ret == 0)
        ret = gnutls_x509_privkey_init(&key);
    if (ret == 0)
        ret = gnutls_x509_privkey_import_pkcs8(key, &bytes, GNUTLS_X509_FMT_DER, NULL, GNUTLS_PKCS_PLAIN);
    if (ret == 0)
        ret = gnutls_certificate_set_x509_key(credentials, path, (int)made, key);
    while (made > 0)
        gnutls_x509_crt_deinit(path[--made]);
    gnutls_x509_privkey_deinit(key);
    return ret < 0 ? ret : 0;
}

static int setup(tls_case *s)
{
    const tls_wish *wish = &s->wish;
    both *b = s->library = cs_alloc(sizeof *b);
    int ret = 0;

    if (b == NULL)
        return CS_ERROR;
    moment = (time_t)wish->time;
    for (int side = 0; side < TLS_SIDES && ret == 0; side++) {
        ret = set_priority(b, wish, side);
        if (ret == 0)
            ret = gnutls_certificate_allocate_credentials(&b->credentials[side]);
        if (ret == 0 && (side == TLS_CLIENT || wish->mutual))
            ret = trust(b->credentials[side], wish);
    }
    if (ret == 0)
        ret = certify(b->credentials[TLS_SERVER], wish->path, wish->path_length, wish->key);
    if (ret == 0 && wish->mutual)
        ret = certify(b->credentials[TLS_CLIENT], wish->client_path, wish->path_length, wish->client_key);
    if (ret == 0)
        ret = own_know_keys(b, wish);
    if (ret == 0)
        ret = own_remember(b, wish);
    if (ret == 0 && wish->resumes)
        ret = gnutls_session_ticket_key_generate(&b->ticket_key);
    return ret == 0 ? CS_OK : own_fail("credentials", ret);
}

/* The library counts no references to either: the case that lent them frees them, later. */
static int share(tls_case *s, const tls_case *of)
{
    const both *from = of->library;
    both *b = s->library = cs_alloc(sizeof *b);

    if (b == NULL)
        return CS_ERROR;
    b->lent = 1;
    for (int side = 0; side < TLS_SIDES; side++) {
        b->credentials[side] = from->credentials[side];
        b->priority[side] = from->priority[side];
    }
    return CS_OK;
}

/* ---- the server's sessions: one ---- */

static int store(void *of, gnutls_datum_t id, gnutls_datum_t session)
{
    both *b = of;

    gnutls_free(b->kept[0].data);
    gnutls_free(b->kept[1].data);
    b->kept[0] = own_copied(id);
    b->kept[1] = own_copied(session);
    return b->kept[0].data != NULL && b->kept[1].data != NULL ? 0 : -1;
}

/* The library frees what it gets. */
static gnutls_datum_t retrieve(void *of, gnutls_datum_t id)
{
    const both *b = of;

    if (b->kept[0].size != id.size || memcmp(b->kept[0].data, id.data, id.size) != 0)
        return (gnutls_datum_t){NULL, 0};
    return own_copied(b->kept[1]);
}

static int forget(void *of, gnutls_datum_t id)
{
    (void)of, (void)id;
    return 0;
}

/* ---- a connection ---- */

static unsigned flags_of(const tls_case *s, int side)
{
    unsigned flags = GNUTLS_NONBLOCK | (side == TLS_CLIENT ? GNUTLS_CLIENT : GNUTLS_SERVER);

    if (!s->wish.resumes)
        flags |= GNUTLS_NO_TICKETS;
    if (s->wish.early.data != NULL)
        flags |= GNUTLS_ENABLE_EARLY_DATA;
    if (s->wish.retries)
        flags |= GNUTLS_KEY_SHARE_TOP; /* else the client sends shares of both groups */
    if (side == TLS_SERVER && !s->first)
        flags |= GNUTLS_NO_AUTO_SEND_TICKET;
    return flags;
}

static int name_and_ticket(tls_case *s, gnutls_session_t session)
{
    both *b = s->library;
    int ret = gnutls_server_name_set(session, GNUTLS_NAME_DNS, s->wish.host, strlen(s->wish.host));

    gnutls_session_set_verify_cert(session, s->wish.host, 0);
    if (ret == 0 && b->ticket.size > 0)
        ret = gnutls_session_set_data(session, b->ticket.data, b->ticket.size);
    return ret;
}

static int open_side(tls_case *s, int side)
{
    both *b = s->library;
    gnutls_session_t session = NULL;
    int ret = gnutls_init(&session, flags_of(s, side));

    if (ret != 0)
        return own_fail("gnutls_init", ret);
    b->session[side] = session;
    ret = gnutls_priority_set(session, b->priority[side]);
    if (ret == 0)
        ret = gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, b->credentials[side]);
    if (ret == 0 && s->wish.external)
        ret = own_use_key(b, side);
    if (ret == 0 && side == TLS_CLIENT)
        ret = name_and_ticket(s, session);
    if (ret == 0)
        ret = own_begin_early(s, side);
    if (side == TLS_SERVER && s->wish.mutual) {
        gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
        gnutls_session_set_verify_cert(session, NULL, 0);
    }
    if (ret == 0 && side == TLS_SERVER && s->wish.resumes)
        ret = gnutls_session_ticket_enable_server(session, &b->ticket_key);
    if (ret < 0) {
        gnutls_deinit(session);
        return own_fail("gnutls_credentials_set", ret);
    }
    if (side == TLS_SERVER && s->wish.session) {
        gnutls_db_set_ptr(session, b);
        gnutls_db_set_store_function(session, store);
        gnutls_db_set_retrieve_function(session, retrieve);
        gnutls_db_set_remove_function(session, forget);
    }
    gnutls_session_set_ptr(session, s);
    gnutls_transport_set_ptr(session, &s->end[side]);
    gnutls_transport_set_push_function(session, push);
    gnutls_transport_set_pull_function(session, pull);
    gnutls_transport_set_pull_timeout_function(session, there_is);
    return CS_OK;
}

static int step(tls_case *s, int side)
{
    both *b = s->library;
    int ret;

    moment = (time_t)s->wish.time;
    ret = gnutls_handshake(b->session[side]);
    if (ret == 0) {
        own_end_early(s, side);
        return TLS_DONE;
    }
    if (!gnutls_error_is_fatal(ret))
        return TLS_WAITS;
    if ((side == TLS_CLIENT || s->wish.mutual) &&
        (ret == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR || ret == GNUTLS_E_CERTIFICATE_ERROR))
        return TLS_REFUSED;
    own_fail(side == TLS_CLIENT ? "client, gnutls_handshake" : "server, gnutls_handshake", ret);
    return TLS_FAILED;
}

static void close_side(tls_case *s, int side)
{
    both *b = s->library;

    gnutls_deinit(b->session[side]);
    b->session[side] = NULL;
}

/* 0 for none of ours. */
static int suite_of(gnutls_session_t session, int version)
{
    static const int suites[TLS_CIPHERS][3] = {
        {TLS_AES_128_GCM, TLS_ECDHE_ECDSA_AES_128_GCM, TLS_ECDHE_RSA_AES_128_GCM},
        {TLS_AES_256_GCM, TLS_ECDHE_ECDSA_AES_256_GCM, TLS_ECDHE_RSA_AES_256_GCM},
        {TLS_CHACHA20_POLY1305, TLS_ECDHE_ECDSA_CHACHA20_POLY1305, TLS_ECDHE_RSA_CHACHA20_POLY1305}};
    static const gnutls_cipher_algorithm_t ciphers[TLS_CIPHERS] = {GNUTLS_CIPHER_AES_128_GCM, GNUTLS_CIPHER_AES_256_GCM,
                                                                   GNUTLS_CIPHER_CHACHA20_POLY1305};
    int kx = gnutls_kx_get(session);

    for (size_t i = 0; i < TLS_CIPHERS; i++) {
        if (gnutls_cipher_get(session) != ciphers[i])
            continue;
        if (version == TLS_1_3)
            return suites[i][0];
        if (kx == GNUTLS_KX_ECDHE_PSK)
            return i == TLS_CIPHER_CHACHA20_POLY1305 ? TLS_ECDHE_PSK_CHACHA20_POLY1305 : 0;
        return kx == GNUTLS_KX_ECDHE_ECDSA ? suites[i][1] : kx == GNUTLS_KX_ECDHE_RSA ? suites[i][2] : 0;
    }
    return 0;
}

static int signature_of(int found)
{
    switch (found) {
    case GNUTLS_SIGN_ECDSA_SHA256:
    case GNUTLS_SIGN_ECDSA_SECP256R1_SHA256:
        return TLS_ECDSA_P256;
    case GNUTLS_SIGN_ECDSA_SHA384:
    case GNUTLS_SIGN_ECDSA_SECP384R1_SHA384:
        return TLS_ECDSA_P384;
    case GNUTLS_SIGN_EDDSA_ED25519:
        return TLS_ED25519;
    case GNUTLS_SIGN_RSA_PSS_RSAE_SHA256:
        return TLS_RSA_PSS;
    case GNUTLS_SIGN_RSA_SHA256:
        return TLS_RSA_PKCS1;
    default:
        return 0;
    }
}

static void told(tls_case *s, int side, tls_agreed *agreed)
{
    gnutls_session_t session = ((both *)s->library)->session[side];
    gnutls_group_t group = gnutls_group_get(session);

    agreed->version = gnutls_protocol_get_version(session) == GNUTLS_TLS1_3   ? TLS_1_3
                      : gnutls_protocol_get_version(session) == GNUTLS_TLS1_2 ? TLS_1_2
                                                                              : 0;
    agreed->suite = suite_of(session, agreed->version);
    agreed->resumed = gnutls_session_is_resumed(session) != 0;
    agreed->early = (gnutls_session_get_flags(session) & GNUTLS_SFLAGS_EARLY_DATA) != 0;
    if (!agreed->resumed || agreed->version == TLS_1_3)
        agreed->group = group == GNUTLS_GROUP_X25519      ? TLS_X25519
                        : group == GNUTLS_GROUP_SECP256R1 ? TLS_P256
                        : group == GNUTLS_GROUP_SECP384R1 ? TLS_P384
                                                          : 0;
    if (agreed->resumed || s->wish.external)
        return;
    agreed->signature = signature_of(gnutls_sign_algorithm_get(session));
    agreed->client_signature = signature_of(gnutls_sign_algorithm_get_client(session));
}

/* The ticket of TLS 1.3 comes behind the handshake. */
static int keep(tls_case *s)
{
    both *b = s->library;
    char byte;
    ssize_t n = 0;
    int ret;

    if (s->wish.version == TLS_1_3)
        n = gnutls_record_recv(b->session[TLS_CLIENT], &byte, 1);
    if (n > 0)
        return cs_fail("data where there are none");
    ret = gnutls_session_get_data2(b->session[TLS_CLIENT], &b->ticket);
    return ret == 0 && b->ticket.size > 0 ? CS_OK : own_fail("gnutls_session_get_data2", ret);
}

const tls_library tls_here = {setup, teardown, open_side, step, told, close_side, keep, share};

/* ---- identity ---- */

TLS_WHY(no_mldsa, "GnuTLS 3.7 has no ML-DSA; 3.8 has it with leancrypto alone, which this build has not")
TLS_WHY(no_hybrid, "GnuTLS 3.7 has no groups with ML-KEM; those of 3.8.8 and later are not in the adapter")

TLS_WHY(no_ed25519_12, "GnuTLS 3.7 has no client certificates of Ed25519 in TLS 1.2")

static const cs_op ops[] = {TLS_LACKS(TLS_AXIS_MLDSA, no_mldsa),
                            TLS_LACKS("version=1.2,cert=ed25519," TLS_AXIS_MUTUAL, no_ed25519_12),
                            TLS_LACKS(TLS_AXIS_POSTQUANTUM, no_hybrid), TLS_ROWS("gnutls_handshake")};

static int open_library(void)
{
    gnutls_global_set_time_function(now);
    return gnutls_global_init() == 0 ? CS_OK : CS_ERROR;
}

static const char *version(void)
{
    return gnutls_check_version(NULL);
}

static const cs_library library = {.abi = CS_ABI,
                                   .id = "tls",
                                   .version = version,
                                   .version_from = "library",
                                   .open = open_library,
                                   .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(library)
