/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the OpenSSL adapter share: the state of a case, what rows of more than one file have, and the
 * tables for adapter.c.
 */
#ifndef CIPHERSTONE_OPENSSL_SESSION_H
#define CIPHERSTONE_OPENSSL_SESSION_H

#include <stdint.h>

#include <openssl/decoder.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "this adapter needs OpenSSL 3.0 or later"
#endif

/* Everything that any family needs; a case uses the members of its own and leaves the others NULL. */
struct session {
    EVP_MD *md;
    EVP_MD_CTX *md_ctx;
    size_t md_len; /* bytes of a digest; ECDSA only */
    EVP_MAC_CTX *mac_ctx;
    const EVP_CIPHER *cipher; /* what was fetched; not a reference */
    EVP_CIPHER_CTX *cipher_ctx;
    EVP_PKEY *key;
    EVP_PKEY *peer;
    EVP_PKEY_CTX *key_ctx;
    OSSL_DECODER_CTX *decoder;
    uint8_t iv[16];
    uint8_t tag[16];
    size_t secret_len;
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

/* Makes a context that has started with a fetched digest once, so that its memory exists. 1 if done. */
int session_open_digest(struct session *s, EVP_MD *md);

/* Hashes `msg` on the context of session_open_digest. 1 if done. */
int session_digest(struct session *s, cs_span msg, uint8_t *out);

/* Once a process: the configuration file is read, and what it says is loaded. */
const char *evp_open(void);
/* Makes the names of all algorithms known to the process, as using one of each kind does: decoding takes longer the
 * more names there are. */
const char *evp_settle(void);

/* Once a process: the generator of secret numbers is seeded; no number is drawn. */
const char *ecdsa_seed(void);

/* For rows whose `param` is the cipher's name, as EVP_CIPHER_fetch takes it. */
const char *cipher_unavailable(const struct cs_op *op);
const char *cipher_fetch(const struct cs_op *op, void **fetched);
int cipher_rekey(cs_case *c);

/* Writes a number of the key, by its name as a parameter, as `len` bytes. Returns 0 if the library refuses. */
int put_number(const EVP_PKEY *key, const char *name, uint8_t *out, int len);
int seal_setup(cs_case *c);
int open_setup(cs_case *c);

/* What EVP_PKEY_generate is asked for: a name to fetch; a group, or NULL; bits of an RSA modulus, or 0. */
struct key_kind {
    const char *name;
    const char *group;
    int bits;
};
const char *keygen_unavailable(const struct cs_op *op);
const char *keygen_fetch(const struct cs_op *op, void **fetched);
int keygen_setup(cs_case *c);

/* Agreement on the context that setup made, whatever the kind of keys. */
int derive_call(cs_case *c);

/* What a row has once a process; what it fetches is kept until the end. */
#define FETCHED(FAMILY) .unavailable = FAMILY##_unavailable, .open = evp_open, .fetch = FAMILY##_fetch
#define CIPHER_ROW(ID, NAME, SETUP, CALL, REKEY, BLOCK)                                                                \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = "EVP_CIPHER " NAME,                                                                                       \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .rekey = REKEY,                                                                                                   \
     .teardown = session_free,                                                                                         \
     .param = NAME,                                                                                                    \
     FETCHED(cipher),                                                                                                  \
     .block = BLOCK}

extern const cs_table openssl_aes, openssl_bignum, openssl_dsa, openssl_ffdh, openssl_hashes, openssl_import,
    openssl_kdf, openssl_keys, openssl_modes, openssl_multiples, openssl_pkey, openssl_pq, openssl_random, openssl_rsa,
    libcrypto_x509;

#endif
