/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: key agreement in finite fields.
 *
 * Entry points: wc_DhSetKey, wc_DhCheckPubValue, wc_DhAgree, wc_DhGenerateKeyPair.
 */
#include "adapter.h"
#include "ffdhe.h"

#include <wolfssl/wolfcrypt/dh.h>

#include <string.h>

static const uint8_t generator[] = {CS_FFDHE_GENERATOR};

static void ffdh_teardown(cs_case *c)
{
    wc_FreeDhKey(c->state);
    cs_teardown_state(c);
}

/* Without the order of the subgroup, as the library's TLS has it: with one, keys are drawn by the rules for DSA, which
 * this group is not made by. */
static int open_group(cs_case *c)
{
    const struct cs_ffdhe *of = c->op->param;
    int error;

    if (cs_new_state(c, sizeof(DhKey)) == NULL)
        return CS_ERROR;
    error = wc_InitDhKey(c->state);
    if (error == 0)
        error = wc_DhSetKey(c->state, of->p, (word32)of->bytes, generator, sizeof generator);
    if (error != 0)
        ffdh_teardown(c);
    return from_wc(error);
}

static int ffdh_setup(cs_case *c)
{
    c->out_len = c->pub.len;
    return open_group(c);
}

/* wc_DhAgree looks at the public value only in some builds: an application has to ask. The secret comes without leading
 * zeros. */
static int ffdh_call(cs_case *c)
{
    const cs_span key = cs_significant(c->key);
    uint8_t secret[CS_FFDHE_MAX];
    word32 len = sizeof secret;
    int error;

    if (wc_DhCheckPubValue(((const struct cs_ffdhe *)c->op->param)->p, (word32)c->out_len, c->pub.data,
                           (word32)c->pub.len) != 0)
        return CS_BAD_KEY;
    error = wc_DhAgree(c->state, secret, &len, key.data, (word32)key.len, c->pub.data, (word32)c->pub.len);
    return error == 0 ? cs_put_number(c->out, c->out_len, (cs_span){secret, len}) : from_wc(error);
}

static int ffdh_keygen_setup(cs_case *c)
{
    c->out_len = 2 * ((const struct cs_ffdhe *)c->op->param)->bytes;
    return open_group(c);
}

static int ffdh_keygen_call(cs_case *c)
{
    const size_t bytes = c->out_len / 2;
    uint8_t key[CS_FFDHE_MAX], pub[CS_FFDHE_MAX];
    word32 key_len = sizeof key, pub_len = sizeof pub;
    int error = wc_DhGenerateKeyPair(c->state, &random_state, key, &key_len, pub, &pub_len);

    if (error != 0)
        return from_wc(error);
    return cs_put_number(c->out, bytes, (cs_span){key, key_len}) |
           cs_put_number(c->out + bytes, bytes, (cs_span){pub, pub_len});
}

/* clang-format off */
#define FFDH_ROWS(ALGORITHM, GROUP)                                                                                    \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "wc_DhCheckPubValue, wc_DhAgree", .setup = ffdh_setup, .call = ffdh_call, .rekey = cs_key_in_call, .teardown = ffdh_teardown, .param = &(GROUP)}, \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "wc_DhGenerateKeyPair", .setup = ffdh_keygen_setup, .call = ffdh_keygen_call, .teardown = ffdh_teardown, .param = &(GROUP), .seed = seed_random, .counts_random = 1}

static const cs_op rows[] = {
    FFDH_ROWS("dh-2048", cs_ffdhe_2048),
    FFDH_ROWS("dh-3072", cs_ffdhe_3072),
};
/* clang-format on */

const cs_table wolfssl_ffdh = CS_TABLE(rows);
