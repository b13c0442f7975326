/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: RSA-PSS. There is no Chinese remainder theorem: the private operation is one with the whole exponent.
 *
 * Entry points: Hacl_RSAPSS_new_rsapss_load_skey, Hacl_RSAPSS_new_rsapss_load_pkey, Hacl_RSAPSS_rsapss_sign,
 * Hacl_RSAPSS_rsapss_verify.
 */
#include <Hacl_RSAPSS.h>

#include "adapter.h"

enum { SALT = 32 };

struct rsa {
    uint64_t *key;
    uint32_t bits, e_bits, d_bits;
};

static void teardown_rsa(cs_case *c)
{
    struct rsa *s = c->state;

    KRML_HOST_FREE(s->key);
    cs_free(s);
    c->state = NULL;
}

static uint32_t bits_of(cs_span number)
{
    uint32_t bits;

    while (number.len > 0 && number.data[0] == 0) {
        number.data++;
        number.len--;
    }
    bits = 8 * (uint32_t)number.len;
    for (uint8_t top = number.len > 0 ? number.data[0] : 0x80; !(top & 0x80); top = (uint8_t)(top << 1))
        bits--;
    return bits;
}

/* The library reads as many bytes as the bits need: what leads a number is left out. */
static uint8_t *number(cs_span bytes)
{
    while (bytes.len > 0 && bytes.data[0] == 0) {
        bytes.data++;
        bytes.len--;
    }
    return bytes_of(bytes);
}

static int setup_rsa(cs_case *c)
{
    cs_rsa_key of;
    struct rsa *s;

    if (cs_rsa_numbers(c, &of) != CS_OK)
        return CS_ERROR;
    s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    s->bits = 8 * (uint32_t)of.n.len;
    s->e_bits = bits_of(of.e);
    if (of.d.data != NULL) {
        s->d_bits = bits_of(of.d);
        c->out_len = of.n.len;
        s->key =
            Hacl_RSAPSS_new_rsapss_load_skey(s->bits, s->e_bits, s->d_bits, number(of.n), number(of.e), number(of.d));
    } else {
        s->key = Hacl_RSAPSS_new_rsapss_load_pkey(s->bits, s->e_bits, number(of.n), number(of.e));
    }
    if (s->key != NULL)
        return CS_OK;
    teardown_rsa(c);
    return cs_fail("Hacl_RSAPSS_new_rsapss_load_* refuses the key");
}

static int call_rsa_pss_sign(cs_case *c)
{
    const struct rsa *s = c->state;
    uint8_t salt[SALT];

    if (!draw(salt, sizeof salt))
        return cs_fail("EverCrypt_DRBG_generate");
    return Hacl_RSAPSS_rsapss_sign(Spec_Hash_Definitions_SHA2_256, s->bits, s->e_bits, s->d_bits, s->key, sizeof salt,
                                   salt, (uint32_t)c->msg.len, bytes_of(c->msg), c->out)
               ? CS_OK
               : cs_fail("Hacl_RSAPSS_rsapss_sign");
}

static int call_rsa_pss_verify(cs_case *c)
{
    const struct rsa *s = c->state;

    return Hacl_RSAPSS_rsapss_verify(Spec_Hash_Definitions_SHA2_256, s->bits, s->e_bits, s->key, SALT,
                                     (uint32_t)c->sig.len, bytes_of(c->sig), (uint32_t)c->msg.len, bytes_of(c->msg))
               ? CS_OK
               : CS_REJECTED;
}

#define RSA_ROW(ID, NAME, CALL)                                                                                        \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_rsa,                                                                                               \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = teardown_rsa,                                                                                         \
     .seed = seed,                                                                                                     \
     .counts_random = 1}
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_ROW("rsa-" BITS "-pss-sha256/sign", "Hacl_RSAPSS_rsapss_sign", call_rsa_pss_sign),                             \
        RSA_ROW("rsa-" BITS "-pss-sha256/verify", "Hacl_RSAPSS_rsapss_verify", call_rsa_pss_verify)

static const cs_op rows[] = {
    RSA_ROWS_OF("2048"),
    RSA_ROWS_OF("3072"),
    RSA_ROWS_OF("4096"),
};
const cs_table hacl_rsa = CS_TABLE(rows);
