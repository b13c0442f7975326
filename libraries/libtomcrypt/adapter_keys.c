/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: key generation.
 *
 * Entry points: ecc_make_key, ecc_ansi_x963_export, rsa_make_key.
 */
#include "adapter_pkey.h"

#include <string.h>

enum { RSA_BYTES = 256, RSA_PUBLIC_EXPONENT = 65537 };

/* A number as exactly `len` bytes. */
static int put(void *number, uint8_t *out, size_t len)
{
    size_t bytes = ltc_mp.unsigned_size(number);

    if (bytes > len)
        return CRYPT_BUFFER_OVERFLOW;
    memset(out, 0, len - bytes);
    return ltc_mp.unsigned_write(number, out + len - bytes);
}

/* ---- P-256 ---- */

int p256_keygen_setup(cs_case *c)
{
    c->out_len = CS_P256_BYTES + CS_P256_POINT;
    return CS_OK;
}

int p256_keygen_call(cs_case *c)
{
    ecc_key key;
    unsigned long len = CS_P256_POINT;
    int error = ecc_make_key(&random_state, random_prng, CS_P256_BYTES, &key);

    if (error != CRYPT_OK)
        return from_ltc(error);
    error = put(key.k, c->out, CS_P256_BYTES);
    if (error == CRYPT_OK)
        error = ecc_ansi_x963_export(&key, c->out + CS_P256_BYTES, &len);
    ecc_free(&key);
    return from_ltc(error);
}

/* ---- RSA ---- */

int rsa_keygen_setup(cs_case *c)
{
    c->out_len = CS_RSA_PAIR;
    return CS_OK;
}

static int put_rsa(const rsa_key *key, uint8_t *at)
{
    void *const part[CS_CRT_PARTS] = {
        [CS_CRT_P] = key->p, [CS_CRT_Q] = key->q, [CS_CRT_DP] = key->dP, [CS_CRT_DQ] = key->dQ, [CS_CRT_QINV] = key->qP,
    };
    int error = CRYPT_OK;

    for (int i = 0; i < CS_CRT_PARTS && error == CRYPT_OK; i++, at += CS_RSA_PART)
        error = put(part[i], at, CS_RSA_PART);
    if (error == CRYPT_OK)
        error = put(key->N, at, CS_RSA_MODULUS);
    return error == CRYPT_OK ? put(key->e, at + CS_RSA_MODULUS, CS_RSA_EXPONENT) : error;
}

int rsa_keygen_call(cs_case *c)
{
    rsa_key key;
    int error = rsa_make_key(&random_state, random_prng, RSA_BYTES, RSA_PUBLIC_EXPONENT, &key);

    if (error != CRYPT_OK)
        return from_ltc(error);
    error = put_rsa(&key, c->out);
    rsa_free(&key);
    return from_ltc(error);
}
