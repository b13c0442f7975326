/* SPDX-License-Identifier: Apache-2.0
 *
 * External keys, application data and open connections with GnuTLS.
 */
#include "gnutls_shared.h"

#include <stdio.h>
#include <string.h>

int own_fail(const char *what, int ret)
{
    char text[200];

    snprintf(text, sizeof text, "%s: %s", what, gnutls_strerror(ret));
    return cs_fail(text);
}

gnutls_datum_t own_datum(cs_span bytes)
{
    return (gnutls_datum_t){(unsigned char *)(uintptr_t)bytes.data, (unsigned)bytes.len};
}

gnutls_datum_t own_copied(gnutls_datum_t from)
{
    gnutls_datum_t to = {gnutls_malloc(from.size), from.size};

    if (to.data == NULL)
        return (gnutls_datum_t){NULL, 0};
    memcpy(to.data, from.data, from.size);
    return to;
}

/* ---- keys that both sides have from elsewhere ---- */

/* The library frees what it gets. */
static int find_key(gnutls_session_t session, const char *name, gnutls_datum_t *key)
{
    const tls_case *s = gnutls_session_get_ptr(session);

    if (strcmp(name, TLS_IDENTITY) != 0)
        return -1;
    *key = own_copied(own_datum(s->wish.psk[TLS_SERVER]));
    return key->data != NULL ? 0 : -1;
}

/* Keys that both sides have from elsewhere. */
int own_know_keys(both *b, const tls_wish *wish)
{
    gnutls_datum_t key = own_datum(wish->psk[TLS_CLIENT]);
    int ret;

    if (key.data == NULL)
        return 0;
    ret = gnutls_psk_allocate_client_credentials(&b->client_key);
    if (ret == 0)
        ret = gnutls_psk_set_client_credentials(b->client_key, TLS_IDENTITY, &key, GNUTLS_PSK_KEY_RAW);
    if (ret == 0)
        ret = gnutls_psk_allocate_server_credentials(&b->server_key);
    if (ret == 0)
        gnutls_psk_set_server_credentials_function(b->server_key, find_key);
    return ret;
}

int own_use_key(both *b, int side)
{
    return gnutls_credentials_set(b->session[side], GNUTLS_CRD_PSK,
                                  side == TLS_CLIENT ? (void *)b->client_key : (void *)b->server_key);
}

void own_forget_keys(both *b)
{
    if (b->client_key != NULL)
        gnutls_psk_free_client_credentials(b->client_key);
    if (b->server_key != NULL)
        gnutls_psk_free_server_credentials(b->server_key);
}

/* ---- data ---- */

static int write_data(tls_case *s, int side, const uint8_t *from, int len)
{
    for (ssize_t at = 0, n; at < len; at += n) {
        n = gnutls_record_send(((both *)s->library)->session[side], from + at, (size_t)(len - at));
        if (n <= 0)
            return 0;
    }
    return 1;
}

static int read_data(tls_case *s, int side, uint8_t *to, int most)
{
    ssize_t n = gnutls_record_recv(((both *)s->library)->session[side], to, (size_t)most);

    if (n > 0)
        return (int)n;
    return n < 0 && !gnutls_error_is_fatal((int)n) ? 0 : -own_fail("gnutls_record_recv", (int)n);
}

const tls_data tls_data_here = {write_data, read_data};

static void *part(tls_case *s, int side)
{
    return ((both *)s->library)->session[side];
}

static void join(tls_case *s, int side, void *connection)
{
    ((both *)s->library)->session[side] = connection;
}

const tls_idle tls_idle_here = {part, join, {0, 0}};

/* ---- early data ---- */

enum { WINDOW_MS = 1 << 30 };

/* Every hello is a new one here. */
static int add(void *of, time_t until, const gnutls_datum_t *key, const gnutls_datum_t *data)
{
    (void)of, (void)until, (void)key, (void)data;
    return 0;
}

int own_remember(both *b, const tls_wish *wish)
{
    int ret;

    if (wish->early.data == NULL)
        return 0;
    ret = gnutls_anti_replay_init(&b->replay);
    if (ret != 0)
        return ret;
    gnutls_anti_replay_set_window(b->replay, WINDOW_MS);
    gnutls_anti_replay_set_add_function(b->replay, add);
    return 0;
}

int own_begin_early(tls_case *s, int side)
{
    both *b = s->library;
    gnutls_session_t session = b->session[side];
    cs_span early = s->wish.early;

    if (early.data == NULL)
        return 0;
    if (side == TLS_SERVER) {
        gnutls_anti_replay_enable(session, b->replay);
        return gnutls_record_set_max_early_data_size(session, TLS_EARLY);
    }
    return s->first ? 0 : (int)gnutls_record_send_early_data(session, early.data, early.len);
}

void own_end_early(tls_case *s, int side)
{
    both *b = s->library;
    ssize_t n;

    if (s->wish.early.data == NULL || side != TLS_SERVER)
        return;
    while (s->early_length < TLS_EARLY &&
           (n = gnutls_record_recv_early_data(b->session[side], s->early + s->early_length,
                                              TLS_EARLY - s->early_length)) > 0)
        s->early_length += (size_t)n;
}
