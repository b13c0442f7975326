/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_MBEDTLS_ADAPTER_H
#define CIPHERSTONE_MBEDTLS_ADAPTER_H

#include <mbedtls/version.h>

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

/* What the row's `param` points to: the direction of AES and 3DES in CBC. */
extern const int cipher_encrypt;
extern const int cipher_decrypt;

/* Hashes in one call; `param` is how many bytes they give. */
int setup_oneshot(cs_case *c);
int call_oneshot_md5(cs_case *c);
int call_oneshot_sha1(cs_case *c);
int call_oneshot_sha256(cs_case *c);
int call_oneshot_sha512(cs_case *c);
int call_oneshot_sha224(cs_case *c);
int call_oneshot_sha384(cs_case *c);

#define ONESHOT_ROW(ALGORITHM, FUNCTION, BYTES) ONESHOT_NAMED(ALGORITHM, FUNCTION, "mbedtls_" #FUNCTION, BYTES)
#define ONESHOT_NAMED(ALGORITHM, FUNCTION, NAME, BYTES)                                                                \
    {                                                                                                                  \
        .id = ALGORITHM "/hash", .impl = "oneshot", .name = NAME, .setup = setup_oneshot,                              \
        .call = call_oneshot_##FUNCTION, .param = &(const size_t)                                                      \
        {                                                                                                              \
            BYTES                                                                                                      \
        }                                                                                                              \
    }
#if MBEDTLS_VERSION_NUMBER >= 0x03050000
int call_oneshot_sha3(cs_case *c);
int call_oneshot_sha3_384(cs_case *c);
int call_oneshot_sha3_512(cs_case *c);
#define ONESHOT_SHA3                                                                                                   \
    , ONESHOT_ROW("sha3-256", sha3, 32), ONESHOT_NAMED("sha3-384", sha3_384, "mbedtls_sha3", 48),                      \
        ONESHOT_NAMED("sha3-512", sha3_512, "mbedtls_sha3", 64)
#else
#define ONESHOT_SHA3
#endif
#define ONESHOT_ROWS                                                                                                   \
    ONESHOT_ROW("md5", md5, 16), ONESHOT_ROW("sha-1", sha1, 20), ONESHOT_ROW("sha-256", sha256, 32),                   \
        ONESHOT_NAMED("sha-224", sha224, "mbedtls_sha256, is224", 28),                                                 \
        ONESHOT_NAMED("sha-384", sha384, "mbedtls_sha512, is384", 48), ONESHOT_ROW("sha-512", sha512, 64) ONESHOT_SHA3

int setup_aes_cbc(cs_case *c);
int rekey_aes_cbc(cs_case *c);
int call_aes_cbc(cs_case *c);
int setup_aes_ctr(cs_case *c);
int rekey_aes_ctr(cs_case *c);
int call_aes_ctr(cs_case *c);
void teardown_aes(cs_case *c);

int setup_des3_cbc(cs_case *c);
int rekey_des3_cbc(cs_case *c);
int call_des3_cbc(cs_case *c);
void teardown_des3(cs_case *c);

int setup_chacha20(cs_case *c);
int rekey_chacha20(cs_case *c);
int call_chacha20(cs_case *c);
void teardown_chacha20(cs_case *c);

int setup_gcm_seal(cs_case *c);
int rekey_gcm(cs_case *c);
int setup_gcm_open(cs_case *c);
int call_gcm_seal(cs_case *c);
int call_gcm_open(cs_case *c);
void teardown_gcm(cs_case *c);

int setup_chachapoly_seal(cs_case *c);
int rekey_chachapoly(cs_case *c);
int setup_chachapoly_open(cs_case *c);
int call_chachapoly_seal(cs_case *c);
int call_chachapoly_open(cs_case *c);
void teardown_chachapoly(cs_case *c);

int setup_x25519(cs_case *c);
int call_x25519(cs_case *c);
void teardown_x25519(cs_case *c);
int setup_ecdh(cs_case *c);
int call_ecdh(cs_case *c);

int setup_ecdsa_sign(cs_case *c);
int call_ecdsa_sign(cs_case *c);
int setup_ecdsa_verify(cs_case *c);
int call_ecdsa_verify(cs_case *c);
void teardown_ecdsa(cs_case *c);
int setup_ecdsa_fresh(cs_case *c); /* the key is kept, the context made in every call */
int call_ecdsa_verify_fresh(cs_case *c);
void teardown_ecdsa_fresh(cs_case *c);

#endif
