/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and its fork AWS-LC: what the files of their adapter share. What one of them has alone is in its own
 * folder, where adapter_own.h gives the library's name and further rows.
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

/* `param` is a function that gives the digest, or NULL where the row takes SHA-256. */
int hash_setup(cs_case *c);
int hash_call(cs_case *c);
int hash_oneshot_call(cs_case *c);
int md5_call(cs_case *c);
int sha1_call(cs_case *c);
int sha256_call(cs_case *c);
int sha512_call(cs_case *c);
int sha224_call(cs_case *c);
int sha384_call(cs_case *c);
int sha512_256_call(cs_case *c);
int hmac_setup(cs_case *c);
int hmac_rekey(cs_case *c);
int hmac_call(cs_case *c);
int hmac_oneshot_call(cs_case *c);
int cmac_setup(cs_case *c);
int cmac_rekey(cs_case *c);
int cmac_call(cs_case *c);
int cmac_oneshot_call(cs_case *c);
int poly1305_setup(cs_case *c);
int poly1305_call(cs_case *c);
int siphash_setup(cs_case *c);
int siphash_rekey(cs_case *c);
int siphash_call(cs_case *c);
void siphash_teardown(cs_case *c);

/* `param` is a function that gives the cipher. */
int encrypt_setup(cs_case *c);
int decrypt_setup(cs_case *c);
int cipher_rekey(cs_case *c);
int cipher_call(cs_case *c);
int gcm_seal_setup(cs_case *c);
int gcm_seal_call(cs_case *c);
int gcm_open_setup(cs_case *c);
int gcm_open_call(cs_case *c);

/* Functions below EVP. */
int aes_encrypt_setup(cs_case *c);
int aes_decrypt_setup(cs_case *c);
int aes_cbc_encrypt_call(cs_case *c);
int aes_cbc_decrypt_call(cs_case *c);
int aes_ctr_call(cs_case *c);
int des_setup(cs_case *c);
int des_encrypt_call(cs_case *c);
int des_decrypt_call(cs_case *c);
int chacha20_setup(cs_case *c);
int chacha20_call(cs_case *c);

/* `param` is a function that gives the AEAD. */
int seal_setup(cs_case *c);
int seal_call(cs_case *c);
int open_setup(cs_case *c);
int open_call(cs_case *c);
int aead_rekey(cs_case *c);

int x25519_setup(cs_case *c);
int x25519_call(cs_case *c);
int x25519_base_call(cs_case *c);
int evp_x25519_setup(cs_case *c);
int evp_x25519_call(cs_case *c);
int ed25519_sign_setup(cs_case *c);
int ed25519_sign_call(cs_case *c);
int ed25519_verify_call(cs_case *c);
int evp_ed25519_sign_setup(cs_case *c);
int evp_ed25519_sign_call(cs_case *c);
int evp_ed25519_verify_setup(cs_case *c);
int evp_ed25519_verify_call(cs_case *c);
/* `param` is the number that names the curve; P-256 without it. */
int curve_of(const cs_op *op);
/* Hashes the message by what goes with the curve: SHA-384 with P-384, SHA-512 with P-521, else SHA-256. Its length. */
size_t ecdsa_digest(const cs_case *c, uint8_t hash[SHA512_DIGEST_LENGTH]);
int ecdh_setup(cs_case *c);
int ecdh_call(cs_case *c);
int base_setup(cs_case *c);
int base_call(cs_case *c);
int ecdsa_sign_setup(cs_case *c);
int ecdsa_sign_call(cs_case *c);
int ecdsa_verify_setup(cs_case *c);
int ecdsa_verify_call(cs_case *c);
int evp_ecdsa_sign_setup(cs_case *c);
int evp_ecdsa_sign_call(cs_case *c);
int evp_ecdsa_verify_setup(cs_case *c);
int evp_ecdsa_verify_call(cs_case *c);

int keygen_setup(cs_case *c);
int fetch_setup(cs_case *c);
int fetch_call(cs_case *c);
int x25519_keygen_call(cs_case *c);
int ed25519_keygen_call(cs_case *c);
int ec_keygen_call(cs_case *c);
int x25519_agree_call(cs_case *c);
int ec_agree_call(cs_case *c);
int rsa_keygen_call(cs_case *c);
int rsa_keygen_fips_call(cs_case *c);

#endif
