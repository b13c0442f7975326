/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the OpenSSL adapter share: the state of a case, and the operations that adapter_pkey.c gives to
 * the table in adapter.c.
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

/* A MAC's name to fetch; the parameter that names its inner primitive, or NULL; and that primitive. */
struct mac_kind {
    const char *mac;
    const char *option;
    const char *inner;
};

/* Once a process: the configuration file is read, and what it says is loaded. */
const char *evp_open(void);
/* Makes the names of all algorithms known to the process, as using one of each kind does: decoding takes longer the
 * more names there are. */
const char *evp_settle(void);

/* Once a process and row: what the row needs is fetched and kept until the end. */
const char *hash_fetch(const struct cs_op *op, void **fetched);
const char *derive_fetch(const struct cs_op *op, void **fetched);
const char *ed25519_fetch(const struct cs_op *op, void **fetched);
const char *ecdsa_fetch(const struct cs_op *op, void **fetched);
const char *ecdh_fetch(const struct cs_op *op, void **fetched);

/* Once a process: the generator of secret numbers is seeded; no number is drawn. */
const char *ecdsa_seed(void);

/* `param` is the digest's name, or a mac_kind. */
const char *hash_unavailable(const struct cs_op *op);
int hash_setup(cs_case *c);
int hash_call(cs_case *c);
int oneshot_hash_call(cs_case *c);
int oneshot_mac_call(cs_case *c);
int sha1_call(cs_case *c);
int sha256_call(cs_case *c);
int sha512_call(cs_case *c);

const char *derive_unavailable(const struct cs_op *op);
int derive_setup(cs_case *c);
int derive_call(cs_case *c);
int ecdh_setup(cs_case *c);
const char *sig_unavailable(const struct cs_op *op);
const char *ecdsa_unavailable(const struct cs_op *op);
const char *nonce_unavailable(const struct cs_op *op);
int ed25519_sign_setup(cs_case *c);
int ed25519_sign_call(cs_case *c);
int ed25519_verify_setup(cs_case *c);
int ed25519_verify_call(cs_case *c);
int ecdsa_sign_setup(cs_case *c);
int ecdsa_sign_rfc6979_setup(cs_case *c);
int ecdsa_sign_call(cs_case *c);
int ecdsa_verify_setup(cs_case *c);
int ecdsa_verify_call(cs_case *c);

#endif
