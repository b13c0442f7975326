/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: key generation, and multiples of a generator.
 *
 * Entry points: ecc_make_key, ecc_ansi_x963_export, rsa_make_key; ltc_mp.ecc_ptmul.
 */
#include "adapter.h"

#include <string.h>

enum { RSA_PUBLIC_EXPONENT = 65537 };

/* A number as exactly `len` bytes. */
static int put(void *number, uint8_t *out, size_t len)
{
    size_t bytes = ltc_mp.unsigned_size(number);

    if (bytes > len)
        return CRYPT_BUFFER_OVERFLOW;
    memset(out, 0, len - bytes);
    return ltc_mp.unsigned_write(number, out + len - bytes);
}

/* ---- P-256, P-384, P-521 ---- */

/* The library takes the curve by its length, which is the row's `param`. */
static int ec_keygen_setup(cs_case *c)
{
    c->out_len = 3 * *(const size_t *)c->op->param + 1;
    return CS_OK;
}

static int ec_keygen_call(cs_case *c)
{
    const size_t bytes = *(const size_t *)c->op->param;
    ecc_key key;
    unsigned long len = 2 * bytes + 1;
    int error = ecc_make_key(&random_state, random_prng, (int)bytes, &key);

    if (error != CRYPT_OK)
        return from_ltc(error);
    error = put(key.k, c->out, bytes);
    if (error == CRYPT_OK)
        error = ecc_ansi_x963_export(&key, c->out + bytes, &len);
    ecc_free(&key);
    return from_ltc(error);
}

/* ---- multiples of the generator ---- */

/* As for keys, `param` is the length of the curve. */
struct base {
    ecc_point *generator, *product;
    void *prime, *scalar;
    size_t bytes;
};

static void base_teardown(cs_case *c)
{
    struct base *s = c->state;

    if (s->prime != NULL)
        ltc_deinit_multi(s->prime, s->scalar, NULL);
    ltc_ecc_del_point(s->product);
    ltc_ecc_del_point(s->generator);
    cs_teardown_state(c);
}

static int make_base(const cs_case *c, struct base *s)
{
    const ltc_ecc_set_type *curve = ltc_ecc_sets;
    int error = ltc_init_multi(&s->prime, &s->scalar, NULL);

    if (error != CRYPT_OK) {
        s->prime = NULL;
        return error;
    }
    s->generator = ltc_ecc_new_point();
    s->product = ltc_ecc_new_point();
    if (s->generator == NULL || s->product == NULL)
        return CRYPT_MEM;
    while (curve->size != 0 && (size_t)curve->size != s->bytes)
        curve++;
    if (curve->size == 0)
        return CRYPT_INVALID_KEYSIZE;
    if ((error = ltc_mp.read_radix(s->prime, curve->prime, 16)) == CRYPT_OK &&
        (error = ltc_mp.read_radix(s->generator->x, curve->Gx, 16)) == CRYPT_OK &&
        (error = ltc_mp.read_radix(s->generator->y, curve->Gy, 16)) == CRYPT_OK &&
        (error = ltc_mp.set_int(s->generator->z, 1)) == CRYPT_OK)
        error = ltc_mp.unsigned_read(s->scalar, (unsigned char *)c->key.data, c->key.len);
    return error;
}

static int base_setup(cs_case *c)
{
    struct base *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    s->bytes = *(const size_t *)c->op->param;
    c->out_len = 2 * s->bytes + 1;
    error = make_base(c, s);
    if (error != CRYPT_OK)
        base_teardown(c);
    return from_ltc(error);
}

/* The last argument brings the product into affine form. */
static int base_call(cs_case *c)
{
    const struct base *s = c->state;
    int error = ltc_mp.ecc_ptmul(s->scalar, s->generator, s->product, s->prime, 1);

    c->out[0] = 4;
    if (error == CRYPT_OK)
        error = put(s->product->x, c->out + 1, s->bytes);
    if (error == CRYPT_OK)
        error = put(s->product->y, c->out + 1 + s->bytes, s->bytes);
    return from_ltc(error);
}

/* ---- RSA ---- */

static int rsa_keygen_setup(cs_case *c)
{
    const int *bits = c->op->param;

    c->out_len = CS_RSA_PAIR_OF(*bits);
    return CS_OK;
}

static int put_rsa(const rsa_key *key, uint8_t *at, size_t half)
{
    void *const part[CS_CRT_PARTS] = {
        [CS_CRT_P] = key->p, [CS_CRT_Q] = key->q, [CS_CRT_DP] = key->dP, [CS_CRT_DQ] = key->dQ, [CS_CRT_QINV] = key->qP,
    };
    int error = CRYPT_OK;

    for (int i = 0; i < CS_CRT_PARTS && error == CRYPT_OK; i++, at += half)
        error = put(part[i], at, half);
    if (error == CRYPT_OK)
        error = put(key->N, at, 2 * half);
    return error == CRYPT_OK ? put(key->e, at + 2 * half, CS_RSA_EXPONENT) : error;
}

static int rsa_keygen_call(cs_case *c)
{
    const int *bits = c->op->param;
    rsa_key key;
    int error = rsa_make_key(&random_state, random_prng, *bits / 8, RSA_PUBLIC_EXPONENT, &key);

    if (error != CRYPT_OK)
        return from_ltc(error);
    error = put_rsa(&key, c->out, CS_RSA_PART_OF(*bits));
    rsa_free(&key);
    return from_ltc(error);
}

/* ---- rows ---- */

/* clang-format off */
#define EC_KEYGEN_ROW(ALGORITHM, BYTES)                                                                                \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "ecc_make_key", .setup = ec_keygen_setup, .call = ec_keygen_call, .param = &(const size_t){BYTES}, .seed = seed_random, .counts_random = 1}
#define BASE_ROW(ALGORITHM, BYTES)                                                                                     \
    {.id = ALGORITHM "/multiply-base", .impl = "default", .name = "ltc_mp.ecc_ptmul", .setup = base_setup, .call = base_call, .teardown = base_teardown, .param = &(const size_t){BYTES}}
/* `param` is the length of the modulus in bits. */
#define RSA_KEYGEN_ROW(ALGORITHM, BITS)                                                                                \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "rsa_make_key", .setup = rsa_keygen_setup, .call = rsa_keygen_call, .param = &(const int){BITS}, .seed = seed_random, .counts_random = 1}

static const cs_op rows[] = {
    EC_KEYGEN_ROW("p-256", CS_P256_BYTES),
    EC_KEYGEN_ROW("p-384", CS_P384_BYTES),
    EC_KEYGEN_ROW("p-521", CS_P521_BYTES),
    BASE_ROW("p-256", CS_P256_BYTES),
    BASE_ROW("p-384", CS_P384_BYTES),
    BASE_ROW("p-521", CS_P521_BYTES),
    RSA_KEYGEN_ROW("rsa-2048", 2048),
    RSA_KEYGEN_ROW("rsa-3072", 3072),
    RSA_KEYGEN_ROW("rsa-4096", 4096),
};
/* clang-format on */

const cs_table libtomcrypt_keys = CS_TABLE(rows);
