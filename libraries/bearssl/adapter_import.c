/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: private keys out of DER. The key object is the decoder, which holds the numbers; nothing is to be
 * freed.
 *
 * Entry points: br_skey_decoder_init, br_skey_decoder_push, br_skey_decoder_get_rsa,
 * br_skey_decoder_get_ec.
 */
#include "adapter.h"

#include <string.h>

static int bear_import_setup(cs_case *c)
{
    c->state = cs_alloc(sizeof(br_skey_decoder_context));
    return c->state != NULL ? CS_OK : CS_ERROR;
}

/* The row's `param` is the type of its keys. */
static int bear_import_private(cs_case *c)
{
    br_skey_decoder_context *decoder = c->state;

    br_skey_decoder_init(decoder);
    br_skey_decoder_push(decoder, c->msg.data, c->msg.len);
    return br_skey_decoder_last_error(decoder) == 0 && br_skey_decoder_key_type(decoder) == *(const int *)c->op->param
               ? CS_OK
               : CS_REJECTED;
}

/* Right-aligned in `len` bytes. 1 if it fits. */
static int put(uint8_t *at, size_t len, const unsigned char *number, size_t size)
{
    while (size > 0 && number[0] == 0) {
        number++;
        size--;
    }
    if (size > len) {
        return 0;
    }
    memset(at, 0, len);
    memcpy(at + len - size, number, size);
    return 1;
}

static int bear_import_finish(cs_case *c)
{
    br_skey_decoder_context *decoder = c->state;
    const br_rsa_private_key *key = br_skey_decoder_get_rsa(decoder);
    size_t len = c->out_cap / 2;
    int fits = key != NULL && put(c->out, len, key->p, key->plen) && put(c->out + len, len, key->q, key->qlen);

    br_skey_decoder_init(decoder);
    c->out_len = c->out_cap;
    return fits ? CS_OK : cs_fail("br_skey_decoder_get_rsa: the numbers cannot be read");
}

static int bear_import_scalar_finish(cs_case *c)
{
    br_skey_decoder_context *decoder = c->state;
    const br_ec_private_key *key = br_skey_decoder_get_ec(decoder);
    int fits = key != NULL && key->curve == BR_EC_secp256r1 && put(c->out, c->out_cap, key->x, key->xlen);

    br_skey_decoder_init(decoder);
    c->out_len = c->out_cap;
    return fits ? CS_OK : cs_fail("br_skey_decoder_get_ec: the number cannot be read");
}

/* -- rows -- */

/* clang-format off */
#define IMPORT_ROW(KEYS, FINISH, TYPE)                                                                                 \
    {.id = KEYS "-pkcs8/import-private", .impl = "default", .name = "br_skey_decoder", .setup = bear_import_setup, .call = bear_import_private, .finish = FINISH, .teardown = cs_teardown_state, .param = &(const int){TYPE}}

static const cs_op rows[] = {
    IMPORT_ROW("rsa-2048", bear_import_finish, BR_KEYTYPE_RSA),
    IMPORT_ROW("rsa-4096", bear_import_finish, BR_KEYTYPE_RSA),
    IMPORT_ROW("p-256", bear_import_scalar_finish, BR_KEYTYPE_EC),
};
/* clang-format on */

const cs_table bearssl_import = CS_TABLE(rows);
