/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: the rows of key generation and ML-KEM, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_OPENSSL_KEYS_H
#define CIPHERSTONE_OPENSSL_KEYS_H

#include "session.h"

/* What EVP_PKEY_generate is asked for: a name to fetch; a group, or NULL; bits of an RSA modulus, or 0. */
struct key_kind {
    const char *name;
    const char *group;
    int bits;
};

const char *keygen_unavailable(const struct cs_op *op);
const char *keygen_fetch(const struct cs_op *op, void **fetched);
int keygen_setup(cs_case *c);
int keygen_call(cs_case *c);

const char *agree_fetch(const struct cs_op *op, void **fetched);
int agree_call(cs_case *c);

/* `param` is the name to fetch. */
const char *kem_unavailable(const struct cs_op *op);
const char *kem_fetch(const struct cs_op *op, void **fetched);
int encaps_setup(cs_case *c);
int encaps_call(cs_case *c);
int decaps_setup(cs_case *c);
int decaps_call(cs_case *c);

#define KEYGEN_ROW(ALGORITHM, SEEDED, ...)                                                                             \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "EVP_PKEY_generate",                                                                                      \
     .setup = keygen_setup,                                                                                            \
     .call = keygen_call,                                                                                              \
     .teardown = session_free,                                                                                         \
     .param = &(const struct key_kind){__VA_ARGS__},                                                                   \
     .unavailable = keygen_unavailable,                                                                                \
     .open = evp_open,                                                                                                 \
     .fetch = keygen_fetch,                                                                                            \
     .seed = ecdsa_seed,                                                                                               \
     .seeded = SEEDED}
#define AGREE_ROW(ALGORITHM, ...)                                                                                      \
    {.id = ALGORITHM "/agree",                                                                                         \
     .impl = "default",                                                                                                \
     .name = "EVP_PKEY_generate, EVP_PKEY_derive",                                                                     \
     .setup = keygen_setup,                                                                                            \
     .call = agree_call,                                                                                               \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = session_free,                                                                                         \
     .param = &(const struct key_kind){__VA_ARGS__},                                                                   \
     .unavailable = keygen_unavailable,                                                                                \
     .open = evp_open,                                                                                                 \
     .fetch = agree_fetch,                                                                                             \
     .seed = ecdsa_seed}
#define KEM_ROW(ALGORITHM, NAME, VERB, SEEDED, DRAWS)                                                                  \
    {.id = ALGORITHM "/" #VERB,                                                                                        \
     .impl = "default",                                                                                                \
     .name = "EVP_PKEY_" #VERB "ulate",                                                                                \
     .setup = VERB##_setup,                                                                                            \
     .call = VERB##_call,                                                                                              \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = session_free,                                                                                         \
     .param = NAME,                                                                                                    \
     .unavailable = kem_unavailable,                                                                                   \
     .open = evp_open,                                                                                                 \
     .fetch = kem_fetch,                                                                                               \
     .seed = DRAWS,                                                                                                    \
     .seeded = SEEDED}
#define KEM_ROWS(ALGORITHM, NAME)                                                                                      \
    KEYGEN_ROW(ALGORITHM, 1, .name = NAME), KEM_ROW(ALGORITHM, NAME, encaps, 1, ecdsa_seed),                           \
        KEM_ROW(ALGORITHM, NAME, decaps, 0, NULL)

#define KEY_ROWS                                                                                                       \
    AGREE_ROW("x25519", .name = "X25519"), AGREE_ROW("p-256", .name = "EC", .group = "P-256"),                         \
        AGREE_ROW("p-384", .name = "EC", .group = "P-384"), KEYGEN_ROW("x25519", 0, .name = "X25519"),                 \
        KEYGEN_ROW("ed25519", 0, .name = "ED25519"), KEYGEN_ROW("p-256", 0, .name = "EC", .group = "P-256"),           \
        KEYGEN_ROW("secp256k1", 0, .name = "EC", .group = "secp256k1"),                                                \
        KEYGEN_ROW("rsa-2048", 0, .name = "RSA", .bits = 2048),                                                        \
        KEYGEN_ROW("rsa-3072", 0, .name = "RSA", .bits = 3072),                                                        \
        KEYGEN_ROW("rsa-4096", 0, .name = "RSA", .bits = 4096), KEM_ROWS("ml-kem-512", "ML-KEM-512"),                  \
        KEM_ROWS("ml-kem-768", "ML-KEM-768"), KEM_ROWS("ml-kem-1024", "ML-KEM-1024")

#endif
