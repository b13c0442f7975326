/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: keys out of DER. A call frees the key of the call before.
 *
 * Entry points: rsa_import, rsa_import_pkcs8.
 */
#include "adapter.h"

#include <string.h>

enum { EXPONENT = 4 };

struct import {
    rsa_key key;
    int is_there;
};

static int import_setup(cs_case *c)
{
    return cs_new_state(c, sizeof(struct import)) != NULL ? CS_OK : CS_ERROR;
}

static void forget(struct import *s)
{
    if (s->is_there)
        rsa_free(&s->key);
    s->is_there = 0;
}

static void import_teardown(cs_case *c)
{
    forget(c->state);
    cs_teardown_state(c);
}

/* What is refused is the input's fault, but for a want of memory. A function that fails frees the key. */
static int judged(struct import *s, int error, int type)
{
    s->is_there = error == CRYPT_OK;
    if (s->is_there && s->key.type == type)
        return CS_OK;
    forget(s);
    return error == CRYPT_MEM ? from_ltc(error) : CS_REJECTED;
}

static int import_public_call(cs_case *c)
{
    struct import *s = c->state;

    forget(s);
    return judged(s, rsa_import(c->msg.data, c->msg.len, &s->key), PK_PUBLIC);
}

static int import_private_call(cs_case *c)
{
    struct import *s = c->state;

    forget(s);
    return judged(s, rsa_import_pkcs8(c->msg.data, c->msg.len, NULL, 0, &s->key), PK_PRIVATE);
}

/* Right-aligned in `len` bytes. */
static int put(uint8_t *at, size_t len, void *number)
{
    size_t size = ltc_mp.unsigned_size(number);

    if (size > len)
        return CRYPT_BUFFER_OVERFLOW;
    memset(at, 0, len);
    return ltc_mp.unsigned_write(number, at + len - size);
}

static int finish(cs_case *c, void *first, void *second, size_t len)
{
    int error = put(c->out, len, first);

    if (error == CRYPT_OK)
        error = put(c->out + len, c->out_cap - len, second);
    forget(c->state);
    c->out_len = c->out_cap;
    return from_ltc(error);
}

static int import_public_finish(cs_case *c)
{
    struct import *s = c->state;

    return finish(c, s->key.N, s->key.e, c->out_cap - EXPONENT);
}

static int import_private_finish(cs_case *c)
{
    struct import *s = c->state;

    return finish(c, s->key.p, s->key.q, c->out_cap / 2);
}

/* ---- rows ---- */

/* clang-format off */
#define IMPORT_ROWS(BITS)                                                                                              \
    {.id = "rsa-" BITS "-spki/import-public", .impl = "default", .name = "rsa_import", .setup = import_setup, .call = import_public_call, .finish = import_public_finish, .teardown = import_teardown}, \
    {.id = "rsa-" BITS "-pkcs8/import-private", .impl = "default", .name = "rsa_import_pkcs8", .setup = import_setup, .call = import_private_call, .finish = import_private_finish, .teardown = import_teardown}

static const cs_op rows[] = {
    IMPORT_ROWS("2048"),
    IMPORT_ROWS("4096"),
};
/* clang-format on */

const cs_table libtomcrypt_import = CS_TABLE(rows);
