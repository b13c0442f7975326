/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL (https://boringssl.googlesource.com/boringssl) and its fork AWS-LC (https://github.com/aws/aws-lc): what
 * the files of their adapter share, by the public headers of libcrypto that both have. What is written for one of them
 * alone is in its own folder, whose adapter.c is the library.
 */
#ifndef CIPHERSTONE_BORINGSSL_ADAPTER_H
#define CIPHERSTONE_BORINGSSL_ADAPTER_H

#include <stdint.h>

#include <openssl/aead.h>
#include <openssl/aes.h>
#include <openssl/bn.h>
#include <openssl/cipher.h>
#include <openssl/cmac.h>
#include <openssl/des.h>
#include <openssl/digest.h>
#include <openssl/ec_key.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* Everything that any family needs; a case uses the members of its own. */
struct session {
    EVP_MD_CTX *md_ctx;
    HMAC_CTX *hmac_ctx;
    CMAC_CTX *cmac_ctx;
    EVP_CIPHER_CTX *cipher_ctx;
    EVP_AEAD_CTX aead_ctx;
    AES_KEY aes;
    DES_key_schedule des[3];
    EC_KEY *ec;
    EC_POINT *point; /* ECDH: the peer's; multiples of the generator: the product */
    BN_CTX *bn_ctx;
    EVP_PKEY *key;
    EVP_PKEY *peer;
    EVP_PKEY_CTX *key_ctx;
    const EVP_MD *md;
    uint8_t private_key[64]; /* Ed25519: the seed, then the public key */
    uint8_t iv[16];
    cs_span seed; /* all the randomness of key generation or encapsulation; `data` is NULL if the library draws */
};

/* Makes `state`; NULL if there is no memory. */
struct session *session_new(cs_case *c);

/* The teardown of every operation. */
void session_free(cs_case *c);

/* Says what failed (an entry point, or an input) and what the error queue holds; empties it. Returns CS_ERROR. */
int session_fail(const char *what);

/* For a setup that cannot go on: the SDK calls no teardown then. Returns CS_ERROR. */
int session_give_up(cs_case *c, const char *what);

/* The same where the library refuses a key. Returns CS_BAD_KEY. */
int session_refuse_key(cs_case *c);

/* CS_REJECTED with an empty error queue; CS_ERROR if what is in the queue is that there was no memory. */
int session_reject(const char *what);

/* Once a process: the generator is seeded, by drawing one byte. */
const char *random_seed(void);

const char *boringssl_cpu_path(void);

/* The schedule of another key in the context that there is; `param` is not looked at. */
int cipher_rekey(cs_case *c);

/* `param` is the number that names the curve; P-256 without it. */
int curve_of(const cs_op *op);
/* Hashes the message by what goes with the curve: SHA-384 with P-384, SHA-512 with P-521, else SHA-256. Its length. */
size_t ecdsa_digest(const cs_case *c, uint8_t hash[SHA512_DIGEST_LENGTH]);
int ecdsa_sign_setup(cs_case *c);
int ecdsa_verify_setup(cs_case *c);

/* The rows that both have, and `own_pq` of the library's own folder. */
extern const cs_table boringssl_bignum, boringssl_ciphers, boringssl_dsa, boringssl_ffdh, boringssl_hashes,
    boringssl_import, boringssl_kdf, boringssl_keys, boringssl_pkey, boringssl_rsa, libcrypto_x509, own_pq;
#define SHARED_TABLES                                                                                                  \
    &boringssl_bignum, &boringssl_ciphers, &boringssl_dsa, &boringssl_ffdh, &boringssl_hashes, &boringssl_import,      \
        &boringssl_kdf, &boringssl_keys, &boringssl_pkey, &boringssl_rsa, &libcrypto_x509, &own_pq

#endif
