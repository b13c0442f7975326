/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: key generation.
 *
 * Entry points: ecc_make_key, ecc_ansi_x963_export, rsa_make_key.
 */
#include "adapter_pkey.h"

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
int ec_keygen_setup(cs_case *c)
{
    c->out_len = 3 * *(const size_t *)c->op->param + 1;
    return CS_OK;
}

int ec_keygen_call(cs_case *c)
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

/* ---- RSA ---- */

int rsa_keygen_setup(cs_case *c)
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

int rsa_keygen_call(cs_case *c)
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
