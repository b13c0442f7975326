/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_MBEDTLS_ADAPTER_H
#define CIPHERSTONE_MBEDTLS_ADAPTER_H

#include <mbedtls/version.h>

#include <mbedtls/bignum.h>
#include <mbedtls/ctr_drbg.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* Bytes; the nonce is that of ChaCha20 and of both AEADs. */
enum { AES_BLOCK = 16, DES_BLOCK = 8, AEAD_TAG = 16 };

/* Blinding in the elliptic curve functions needs random bytes; one generator serves the process. The function that
 * draws from it is the library's own, but in a process that counts. */
extern mbedtls_ctr_drbg_context cs_mbedtls_drbg;
extern int (*cs_mbedtls_random)(void *drbg, unsigned char *out, size_t len);

/* Once a process. */
const char *seed_drbg(void);

/* CS_OK for 0, CS_ERROR for any other return value of the library. Inline, because it ends most timed calls. */
static inline int from_mbedtls(int ret)
{
    return ret == 0 ? CS_OK : CS_ERROR;
}

/* For a setup that fails after it made its state, because the SDK tears down only what was set up: tears the case down
 * and stores "FUNCTION returned -0xRET". Returns CS_ERROR. */
int give_up(cs_case *c, const char *function, int ret);

/* What the row's `param` points to: the direction of a cipher. */
extern const int cipher_encrypt;
extern const int cipher_decrypt;

/* Starts PSA, whose generator it seeds as well. */
const char *psa_open(void);

/* Writes `number` as `len` bytes after what is at `out`, and sets it to zero: a call that does nothing shows. */
int take_bignum(cs_case *c, mbedtls_mpi *number, size_t len);

#define CBC_ROW(operation, label, family, direction, block_size)                                                       \
    {.id = operation,                                                                                                  \
     .impl = "default",                                                                                                \
     .name = label,                                                                                                    \
     .setup = setup_##family##_cbc,                                                                                    \
     .call = call_##family##_cbc,                                                                                      \
     .rekey = rekey_##family##_cbc,                                                                                    \
     .teardown = teardown_##family,                                                                                    \
     .param = &(direction),                                                                                            \
     .block = (block_size)}
#define ROW(operation, label, family, state, key)                                                                      \
    {.id = operation,                                                                                                  \
     .impl = "default",                                                                                                \
     .name = label,                                                                                                    \
     .setup = setup_##family,                                                                                          \
     .call = call_##family,                                                                                            \
     .rekey = key,                                                                                                     \
     .teardown = teardown_##state}

extern const cs_table mbedtls_ciphers, mbedtls_modes, mbedtls_curves, mbedtls_ffdh, mbedtls_bignum, mbedtls_crt,
    mbedtls_keys, mbedtls_rsa, mbedtls_random, mbedtls_import, mbedtls_x509, mbedtls_oneshot, mbedtls_psa, mbedtls_kdf;

#endif
