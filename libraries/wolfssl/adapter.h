/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share: the state of a case, the generator, and the tables of rows.
 */
#ifndef CIPHERSTONE_WOLFSSL_ADAPTER_H
#define CIPHERSTONE_WOLFSSL_ADAPTER_H

/* The configuration of the library: before its other headers. */
#include <wolfssl/options.h>

/* In 5.5 they do not say what configure found: digits have 64 bits where the compiler has a product of 128. */
#if defined(__SIZEOF_INT128__) && !defined(HAVE___UINT128_T)
#define HAVE___UINT128_T 1
#endif

#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/version.h>
#include <wolfssl/wolfcrypt/error-crypt.h>
#include <wolfssl/wolfcrypt/random.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* Makes `state`, one block of `size` bytes, all zero, and returns it; NULL if there is no memory. */

/* The teardown of operations whose state owns nothing. */

/* CS_OK for 0; else stores the library's words for the error. Inline, because it ends timed calls. */
static inline int from_wc(int error)
{
    return error == 0 ? CS_OK : cs_fail(wc_GetErrorString(error));
}

/* The library's own generator, one for the process: Hash_DRBG. */
extern WC_RNG random_state;

/* Once a process: seeds it from the system. */
const char *seed_random(void);

/* A key schedule of AES, for the modes. */
int aes_encrypt_setup(cs_case *c);
int aes_decrypt_setup(cs_case *c);
int aes_encrypt_rekey(cs_case *c);
int aes_decrypt_rekey(cs_case *c);
void aes_teardown(cs_case *c);

/* The row's `param`: the number that names the curve. */
extern const int brainpool_curve, p256_curve, secp256k1_curve, p384_curve, p521_curve;
const char *curve_unavailable(const struct cs_op *op);

extern const cs_table wolfssl_ciphers, wolfssl_modes, wolfssl_pkey, wolfssl_keys, wolfssl_rsa, wolfssl_import;
extern const cs_table wolfssl_x509, wolfssl_paths, wolfssl_random, wolfssl_pq, wolfssl_curve448, wolfssl_ffdh;
extern const cs_table wolfssl_dsa, wolfssl_bignum, wolfssl_bignum_crt, wolfssl_kdf;

#endif
