/* SPDX-License-Identifier: Apache-2.0
 *
 * s2n-tls: a configuration kept for each side, an s2n_connection a connection, input and output by callbacks. Versions,
 * groups and signatures cannot be chosen one by one: they come as policies that have names.
 */
#include "data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "s2n_policies.h"

enum { PEM = 16384, TICKET = 8192, TICKET_KEY = 32 };
#define NS_PER_S 1000000000u

typedef struct both {
    struct s2n_config *config[TLS_SIDES];
    struct s2n_connection *connection[TLS_SIDES];
    struct s2n_cert_chain_and_key *chain[TLS_SIDES];
    s2n_kept *kept; /* by the server, to resume by session id */
    struct s2n_psk *key[TLS_SIDES];
    int lent;                  /* configurations are another case's, which frees them later */
    int early_done[TLS_SIDES]; /* in this connection: sent, or all of it got */
    size_t ticket_length;
    uint8_t ticket[TICKET];
    char pem[PEM], key_pem[PEM];
} both;

static int fail(const char *what)
{
    char text[200];

    snprintf(text, sizeof text, "%s: %s", what, s2n_strerror(s2n_errno, "EN"));
    return cs_fail(text);
}

/* ---- transport ---- */

static int receive_from(void *end, uint8_t *to, uint32_t most)
{
    size_t n = tls_receive(end, to, most);

    if (n > 0)
        return (int)n;
    errno = EAGAIN;
    return -1;
}

static int send_to(void *end, const uint8_t *from, uint32_t len)
{
    if (tls_send(end, from, len))
        return (int)len;
    errno = EPIPE;
    return -1;
}

/* ---- what is kept ---- */

static void teardown(tls_case *s)
{
    both *b = s->library;

    if (b == NULL)
        return;
    for (int side = 0; side < TLS_SIDES; side++) {
        if (b->config[side] != NULL && !b->lent)
            s2n_config_free(b->config[side]);
        if (b->key[side] != NULL)
            s2n_psk_free(&b->key[side]);
        if (b->chain[side] != NULL)
            s2n_cert_chain_and_key_free(b->chain[side]);
    }
    cs_free(b->kept);
    cs_free(b);
    s->library = NULL;
}

static size_t base64(char *to, cs_span bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = 0;

    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        uint32_t group = (uint32_t)bytes.data[i] << 16 | (left > 1 ? (uint32_t)bytes.data[i + 1] << 8 : 0) |
                         (left > 2 ? bytes.data[i + 2] : 0);

        for (unsigned k = 0; k < 4; k++)
            to[len++] = k <= left ? digits[group >> (18 - 6 * k) & 63] : '=';
        if (i % 48 == 45)
            to[len++] = '\n';
    }
    return len;
}

/* The interface takes PEM only. Behind what is at `to` already; 1 if it fits. */
static int put_pem(char to[PEM], const char *kind, cs_span bytes)
{
    size_t len = strlen(to);

    if (bytes.len * 3 / 2 + 128 > PEM - len)
        return 0;
    len += (size_t)sprintf(to + len, "-----BEGIN %s-----\n", kind);
    len += base64(to + len, bytes);
    sprintf(to + len, "\n-----END %s-----\n", kind);
    return 1;
}

static int now(void *of, uint64_t *ns)
{
    const tls_case *s = of;

    *ns = (uint64_t)s->wish.time * NS_PER_S;
    return 0;
}

static int take(struct s2n_connection *connection, void *of, struct s2n_session_ticket *ticket)
{
    tls_case *s = of;
    both *b = s->library;
    size_t len = 0;

    (void)connection;
    if (s2n_session_ticket_get_data_len(ticket, &len) != S2N_SUCCESS || len > TICKET ||
        s2n_session_ticket_get_data(ticket, len, b->ticket) != S2N_SUCCESS)
        return -1;
    b->ticket_length = len;
    return 0;
}

static struct s2n_config *configuration(tls_case *s, int side)
{
    struct s2n_config *config = s2n_config_new_minimal();

    if (config != NULL && s2n_config_set_cipher_preferences(config, s2n_policy_of(&s->wish, side)) == S2N_SUCCESS &&
        s2n_config_set_wall_clock(config, now, s) == S2N_SUCCESS &&
        s2n_config_set_session_tickets_onoff(config, s->wish.resumes != 0) == S2N_SUCCESS)
        return config;
    if (config != NULL)
        s2n_config_free(config);
    return NULL;
}

/* The certificates that a side sends, and its key. */
static int fill_chain(both *b, int side, const cs_span *path, size_t length, cs_span key)
{
    b->pem[0] = b->key_pem[0] = '\0';
    for (size_t i = 0; i < length; i++)
        if (!put_pem(b->pem, "CERTIFICATE", path[i]))
            return 0;
    b->chain[side] = s2n_cert_chain_and_key_new();
    return b->chain[side] != NULL && put_pem(b->key_pem, "PRIVATE KEY", key) &&
           s2n_cert_chain_and_key_load_pem_bytes(b->chain[side], (uint8_t *)b->pem, (uint32_t)strlen(b->pem),
                                                 (uint8_t *)b->key_pem, (uint32_t)strlen(b->key_pem)) == S2N_SUCCESS &&
           s2n_config_add_cert_chain_and_key_to_store(b->config[side], b->chain[side]) == S2N_SUCCESS;
}

static int trust(both *b, int side, cs_span root)
{
    b->pem[0] = '\0';
    return put_pem(b->pem, "CERTIFICATE", root) &&
           s2n_config_add_pem_to_trust_store(b->config[side], b->pem) == S2N_SUCCESS;
}

/* A client has no name that a server would know. */
static uint8_t any_name(const char *name, size_t length, void *of)
{
    (void)name;
    (void)length;
    (void)of;
    return 1;
}

/* Both prove a key: the root is the same. */
static int fill_mutual(both *b, const tls_wish *wish)
{
    for (int side = 0; side < TLS_SIDES; side++)
        if (s2n_config_set_client_auth_type(b->config[side], S2N_CERT_AUTH_REQUIRED) != S2N_SUCCESS)
            return 0;
    return trust(b, TLS_SERVER, wish->root) &&
           s2n_config_set_verify_host_callback(b->config[TLS_SERVER], any_name, NULL) == S2N_SUCCESS &&
           fill_chain(b, TLS_CLIENT, wish->client_path, wish->path_length, wish->client_key);
}

static int fill_client(tls_case *s)
{
    both *b = s->library;

    return trust(b, TLS_CLIENT, s->wish.root) && (!s->wish.mutual || fill_mutual(b, &s->wish)) &&
           s2n_config_set_session_ticket_cb(b->config[TLS_CLIENT], take, s) == S2N_SUCCESS;
}

static int fill_server(both *b, const tls_wish *wish)
{
    struct s2n_config *config = b->config[TLS_SERVER];
    static uint8_t name[] = "cipherstone", key[TICKET_KEY] = {1};

    if (!fill_chain(b, TLS_SERVER, wish->path, wish->path_length, wish->key))
        return 0;
    if (wish->session && ((b->kept = cs_alloc(sizeof *b->kept)) == NULL || !s2n_keep_sessions(config, b->kept)))
        return 0;
    return (!wish->resumes && !wish->session) ||
           (s2n_config_set_initial_ticket_count(config, 0) == S2N_SUCCESS &&
            s2n_config_add_ticket_crypto_key(config, name, sizeof name - 1, key, sizeof key, 0) == S2N_SUCCESS);
}

/* A key that both sides have from elsewhere. */
static int know_key(both *b, int side, cs_span key)
{
    static const uint8_t name[] = TLS_IDENTITY;

    if (key.data == NULL)
        return 1;
    b->key[side] = s2n_external_psk_new();
    return b->key[side] != NULL && s2n_psk_set_identity(b->key[side], name, sizeof name - 1) == S2N_SUCCESS &&
           s2n_psk_set_secret(b->key[side], key.data, (uint16_t)key.len) == S2N_SUCCESS;
}

static int setup(tls_case *s)
{
    both *b = s->library = cs_alloc(sizeof *b);

    if (b == NULL)
        return CS_ERROR;
    for (int side = 0; side < TLS_SIDES; side++)
        if ((b->config[side] = configuration(s, side)) == NULL || !know_key(b, side, s->wish.psk[side]))
            return fail("s2n_config_new_minimal");
    if (!fill_client(s))
        return fail("the trust anchor");
    if (!fill_server(b, &s->wish))
        return fail("the server's certificate and key");
    return CS_OK;
}

static int share(tls_case *s, const tls_case *of)
{
    const both *from = of->library;
    both *b = s->library = cs_alloc(sizeof *b);

    if (b == NULL)
        return CS_ERROR;
    b->lent = 1;
    for (int side = 0; side < TLS_SIDES; side++)
        b->config[side] = from->config[side];
    return CS_OK;
}

/* ---- a connection ---- */

static int begin_side(tls_case *s, int side, struct s2n_connection *connection)
{
    both *b = s->library;

    if (s2n_connection_set_config(connection, b->config[side]) != S2N_SUCCESS ||
        s2n_connection_set_recv_cb(connection, receive_from) != S2N_SUCCESS ||
        s2n_connection_set_recv_ctx(connection, &s->end[side]) != S2N_SUCCESS ||
        s2n_connection_set_send_cb(connection, send_to) != S2N_SUCCESS ||
        s2n_connection_set_send_ctx(connection, &s->end[side]) != S2N_SUCCESS ||
        /* Else a failure sleeps for seconds. */
        s2n_connection_set_blinding(connection, S2N_SELF_SERVICE_BLINDING) != S2N_SUCCESS ||
        (b->key[side] != NULL && s2n_connection_append_psk(connection, b->key[side]) != S2N_SUCCESS))
        return 0;
    b->early_done[side] = s->wish.early.data == NULL || s->first;
    if (side == TLS_SERVER && s->wish.early.data != NULL &&
        s2n_connection_set_server_max_early_data_size(connection, TLS_EARLY) != S2N_SUCCESS)
        return 0;
    if (side == TLS_SERVER)
        return !s->first || s->wish.version == TLS_1_2 ||
               s2n_connection_add_new_tickets_to_send(connection, 1) == S2N_SUCCESS;
    return s2n_set_server_name(connection, s->wish.host) == S2N_SUCCESS &&
           ((!s->wish.resumes && !s->wish.session) || s->first ||
            s2n_connection_set_session(connection, b->ticket, b->ticket_length) == S2N_SUCCESS);
}

static int open_side(tls_case *s, int side)
{
    both *b = s->library;
    struct s2n_connection *connection = s2n_connection_new(side == TLS_CLIENT ? S2N_CLIENT : S2N_SERVER);

    if (connection == NULL)
        return fail("s2n_connection_new");
    if (!begin_side(s, side, connection)) {
        fail("s2n_connection_set_config");
        s2n_connection_free(connection);
        return CS_ERROR;
    }
    b->connection[side] = connection;
    return CS_OK;
}

/* What comes before the handshake's end. S2N_SUCCESS once there is no more of it. */
static int early_step(tls_case *s, int side)
{
    both *b = s->library;
    cs_span early = s->wish.early;
    s2n_blocked_status blocked;
    ssize_t n = 0;
    int status;

    if (side == TLS_CLIENT) {
        status = s2n_send_early_data(b->connection[side], early.data, (ssize_t)early.len, &n, &blocked);
        b->early_done[side] = n == (ssize_t)early.len;
        return b->early_done[side] ? S2N_SUCCESS : status;
    }
    status = s2n_recv_early_data(b->connection[side], s->early + s->early_length,
                                 (ssize_t)(TLS_EARLY - s->early_length), &n, &blocked);
    s->early_length += (size_t)n;
    b->early_done[side] = status == S2N_SUCCESS;
    return status;
}

static int step(tls_case *s, int side)
{
    both *b = s->library;
    s2n_blocked_status blocked;
    const char *name;

    if ((b->early_done[side] || early_step(s, side) == S2N_SUCCESS) &&
        s2n_negotiate(b->connection[side], &blocked) == S2N_SUCCESS)
        return TLS_DONE;
    if (s2n_error_get_type(s2n_errno) == S2N_ERR_T_BLOCKED)
        return TLS_WAITS;
    name = s2n_strerror_name(s2n_errno);
    if ((side == TLS_CLIENT || s->wish.mutual) && name != NULL && strncmp(name, "S2N_ERR_CERT_", 13) == 0)
        return TLS_REFUSED;
    fail(side == TLS_CLIENT ? "client, s2n_negotiate" : "server, s2n_negotiate");
    return TLS_FAILED;
}

static void close_side(tls_case *s, int side)
{
    both *b = s->library;

    s2n_connection_free(b->connection[side]);
    b->connection[side] = NULL;
}

static void told(tls_case *s, int side, tls_agreed *agreed)
{
    struct s2n_connection *connection = ((both *)s->library)->connection[side];
    s2n_tls_signature_algorithm algorithm = S2N_TLS_SIGNATURE_ANONYMOUS;
    s2n_tls_hash_algorithm hash = S2N_TLS_HASH_NONE;
    int version = s2n_connection_get_actual_protocol_version(connection);
    s2n_early_data_status_t early = S2N_EARLY_DATA_STATUS_NOT_REQUESTED;
    uint8_t first = 0, second = 0;

    agreed->version = version == S2N_TLS13 ? TLS_1_3 : version == S2N_TLS12 ? TLS_1_2 : 0;
    if (s2n_connection_get_cipher_iana_value(connection, &first, &second) == S2N_SUCCESS)
        agreed->suite = first << 8 | second;
    agreed->resumed = s2n_connection_is_session_resumed(connection);
    agreed->early =
        s2n_connection_get_early_data_status(connection, &early) == S2N_SUCCESS && early == S2N_EARLY_DATA_STATUS_END;
    if (!agreed->resumed || agreed->version == TLS_1_3)
        agreed->group = s2n_group_of(connection);
    if (agreed->resumed || s->wish.external)
        return;
    if (s2n_connection_get_selected_signature_algorithm(connection, &algorithm) == S2N_SUCCESS &&
        s2n_connection_get_selected_digest_algorithm(connection, &hash) == S2N_SUCCESS)
        agreed->signature = s2n_signature_of((int)algorithm, (int)hash);
    if (s->wish.mutual &&
        s2n_connection_get_selected_client_cert_signature_algorithm(connection, &algorithm) == S2N_SUCCESS &&
        s2n_connection_get_selected_client_cert_digest_algorithm(connection, &hash) == S2N_SUCCESS)
        agreed->client_signature = s2n_signature_of((int)algorithm, (int)hash);
}

/* The ticket of TLS 1.3 comes behind the handshake. */
static int keep(tls_case *s)
{
    both *b = s->library;
    s2n_blocked_status blocked;
    uint8_t byte = 0;
    int len;

    if (s->wish.version == TLS_1_3) {
        if (s2n_send(b->connection[TLS_SERVER], &byte, 0, &blocked) < 0)
            return fail("s2n_send");
        if (s2n_recv(b->connection[TLS_CLIENT], &byte, 1, &blocked) > 0)
            return cs_fail("data where there are none");
    } else {
        len = s2n_connection_get_session_length(b->connection[TLS_CLIENT]);
        if (len > 0 && len <= TICKET && s2n_connection_get_session(b->connection[TLS_CLIENT], b->ticket, TICKET) == len)
            b->ticket_length = (size_t)len;
    }
    return b->ticket_length > 0 ? CS_OK : fail("no ticket came");
}

const tls_library tls_here = {setup, teardown, open_side, step, told, close_side, keep, share};

static int write_data(tls_case *s, int side, const uint8_t *from, int len)
{
    s2n_blocked_status blocked;

    return s2n_send(((both *)s->library)->connection[side], from, len, &blocked) == len;
}

static int read_data(tls_case *s, int side, uint8_t *to, int most)
{
    s2n_blocked_status blocked;
    ssize_t n = s2n_recv(((both *)s->library)->connection[side], to, most, &blocked);

    if (n > 0)
        return (int)n;
    return n < 0 && s2n_error_get_type(s2n_errno) == S2N_ERR_T_BLOCKED ? 0 : -fail("s2n_recv");
}

const tls_data tls_data_here = {write_data, read_data};

static void *part(tls_case *s, int side)
{
    return ((both *)s->library)->connection[side];
}

static void join(tls_case *s, int side, void *connection)
{
    ((both *)s->library)->connection[side] = connection;
}

const tls_idle tls_idle_here = {part, join, {0, 0}};

/* ---- identity ---- */

TLS_WHY(no_ed25519, "s2n-tls has no signatures of Ed25519")
TLS_WHY(no_policy, "no two policies agree on it, but those that upstream has for its own tests")
TLS_WHY(no_older_p384, "no policy of TLS 1.2 takes SHA-384 for a key of P-384")
TLS_WHY(no_other_retry, "no policy takes X25519 without P-256, and a server takes the key share that it has")
TLS_WHY(no_older_key, "s2n-tls has external keys in TLS 1.3 alone")
#ifdef OPENSSL_IS_AWSLC
TLS_WHY(no_mldsa, "its policies with ML-DSA have no X25519 in front, and this adapter asks for none of them")
#define POSTQUANTUM TLS_LACKS("group=secp256r1mlkem768", no_policy)
#else
TLS_WHY(no_mldsa, "s2n-tls has ML-DSA with a libcrypto alone that has it")
TLS_WHY(no_mlkem, "s2n-tls has ML-KEM with a libcrypto alone that has it")
#define POSTQUANTUM TLS_LACKS(TLS_AXIS_POSTQUANTUM, no_mlkem)
#endif

/* Whose handshake is one with P-256. */
#define OLDER_CHACHA20 "version=1.2,suite=chacha20-poly1305"

static const cs_op ops[] = {TLS_LACKS(TLS_AXIS_MLDSA, no_mldsa),
                            TLS_LACKS("version=1.2," TLS_AXIS_P384, no_older_p384),
                            TLS_LACKS("version=1.2," TLS_AXIS_PSK, no_older_key),
                            TLS_LACKS("version=1.3,suite=chacha20-poly1305", no_policy),
                            TLS_LACKS("version=1.2,group=x25519,suite=chacha20-poly1305", no_policy),
                            TLS_LACKS("version=1.2,cert=p-256,suite=chacha20-poly1305", no_policy),
                            TLS_BULK_ROW_UNLESS("bulk-write", tls_write_call, OLDER_CHACHA20, no_policy, "none"),
                            TLS_BULK_ROW_UNLESS("bulk-read", tls_read_call, OLDER_CHACHA20, no_policy, "none"),
                            TLS_LACKS("version=1.2,group=x25519,cert=p-256,suite=aes-256-gcm", no_policy),
                            TLS_LACKS("group=x25519," TLS_AXIS_RETRY, no_other_retry),
                            TLS_LACKS("group=p-384", no_policy),
                            POSTQUANTUM,
                            TLS_LACKS("cert=ed25519", no_ed25519),
                            TLS_ROWS("s2n_negotiate")};

/* Its own memory is locked, a page at least for each object; bindings for other languages take the system's instead. */

static int memory_begin(void)
{
    return S2N_SUCCESS;
}

static int memory_take(void **to, uint32_t wanted, uint32_t *got)
{
    *to = malloc(wanted);
    *got = wanted;
    return *to != NULL ? S2N_SUCCESS : S2N_FAILURE;
}

static int memory_free(void *bytes, uint32_t len)
{
    (void)len;
    free(bytes);
    return S2N_SUCCESS;
}

static int open_library(void)
{
    if (s2n_mem_set_callbacks(memory_begin, memory_begin, memory_take, memory_free) != S2N_SUCCESS)
        return CS_ERROR;
    return s2n_init() == S2N_SUCCESS ? CS_OK : CS_ERROR;
}

static const char *version(void)
{
    return CS_PACKAGE_VERSION;
}

static const cs_library library = {.abi = CS_ABI,
                                   .id = "tls",
                                   .version = version,
                                   .version_from = "package",
                                   .open = open_library,
                                   .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(library)
