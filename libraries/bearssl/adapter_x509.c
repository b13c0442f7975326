/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: certificate paths, by the engine that its TLS client uses. It reads a certificate while it verifies
 * it, in a context of fixed size; nothing is to be freed.
 *
 * Entry points: br_x509_minimal_init_full, br_x509_minimal_set_time, br_x509_minimal_vtable. The trust anchor's name
 * and key come from br_x509_decoder.
 */
#include "adapter.h"
#include "x509.h"

#include <string.h>

/* Days since the year 0, as br_x509_minimal_set_time counts them. */
enum { DAY = 86400, DAYS_TO_1970 = 719528, NAME = 1024 };

struct x509 {
    br_x509_minimal_context engine;
    br_x509_decoder_context decoder; /* holds the bytes of the anchor's key */
    br_x509_trust_anchor anchor;
    unsigned char name[NAME];
    size_t name_len;
    char host[CS_X509_TEXT];
    cs_span path[CS_X509_PATH];
    size_t length;
    int64_t time;
};

static void append(void *to, const void *bytes, size_t len)
{
    struct x509 *s = to;

    if (len <= NAME - s->name_len) {
        memcpy(s->name + s->name_len, bytes, len);
    }
    s->name_len += len;
}

static int bear_x509_setup(cs_case *c)
{
    struct x509 *s = cs_alloc(sizeof *s);
    cs_span root = cs_input(c, "root");
    br_x509_pkey *key;

    if (s == NULL) {
        return CS_ERROR;
    }
    br_x509_decoder_init(&s->decoder, append, s);
    br_x509_decoder_push(&s->decoder, root.data, root.len);
    key = br_x509_decoder_get_pkey(&s->decoder);
    if (key == NULL || s->name_len > NAME || cs_x509_text(cs_input(c, "host"), s->host) != CS_OK) {
        cs_free(s);
        return cs_fail("br_x509_decoder_get_pkey: the trust anchor cannot be read");
    }
    s->anchor.dn.data = s->name;
    s->anchor.dn.len = s->name_len;
    s->anchor.flags = BR_X509_TA_CA;
    s->anchor.pkey = *key;
    s->time = cs_x509_time(cs_input(c, "time"));
    s->length = cs_x509_path(c, s->path);
    c->state = s;
    return CS_OK;
}

static void push(const br_x509_class **engine, cs_span certificate)
{
    (*engine)->start_cert(engine, (uint32_t)certificate.len);
    (*engine)->append(engine, certificate.data, certificate.len);
    (*engine)->end_cert(engine);
}

/* Its error codes all say what is wrong with the certificates. */
static int bear_x509_verify(cs_case *c)
{
    struct x509 *s = c->state;
    const br_x509_class **engine = &s->engine.vtable;

    br_x509_minimal_init_full(&s->engine, &s->anchor, 1);
    br_x509_minimal_set_time(&s->engine, (uint32_t)(s->time / DAY + DAYS_TO_1970), (uint32_t)(s->time % DAY));
    (*engine)->start_chain(engine, s->host[0] != '\0' ? s->host : NULL);
    for (size_t i = 0; i < s->length; i++) {
        push(engine, s->path[i]);
    }
    return (*engine)->end_chain(engine) == 0 ? CS_OK : CS_REJECTED;
}

/* -- rows -- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "x509-p256/verify-chain", .impl = "default", .name = "br_x509_minimal", .setup = bear_x509_setup, .call = bear_x509_verify, .teardown = cs_teardown_state},
    {.id = "x509-rsa-2048/verify-chain", .impl = "default", .name = "br_x509_minimal", .setup = bear_x509_setup, .call = bear_x509_verify, .teardown = cs_teardown_state},
};
/* clang-format on */

const cs_table bearssl_x509 = CS_TABLE(rows);
