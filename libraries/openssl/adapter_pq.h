/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: the rows of signatures after quantum computers, of 3.5 and later, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_OPENSSL_PQ_H
#define CIPHERSTONE_OPENSSL_PQ_H

#include "adapter_keys.h"

/* A parameter set, by the name to fetch. `seeded`: a private key is its seed. */
struct pq {
    const char *name;
    int seeded;
};

const char *pq_unavailable(const struct cs_op *op);
const char *pq_keygen_fetch(const struct cs_op *op, void **fetched);
const char *pq_fetch(const struct cs_op *op, void **fetched);
int pq_keygen_setup(cs_case *c);
int pq_keygen_call(cs_case *c);
int pq_sign_setup(cs_case *c);
int pq_sign_deterministic_setup(cs_case *c);
int pq_sign_call(cs_case *c);
int pq_verify_setup(cs_case *c);
int pq_verify_call(cs_case *c);

#define PQ_ROW(ALGORITHM, VERB, IMPL, NAME, SETUP, CALL, FETCH, SET, ...)                                              \
    {.id = ALGORITHM "/" VERB,                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP##_setup,                                                                                           \
     .call = CALL##_call,                                                                                              \
     .teardown = session_free,                                                                                         \
     .param = &(const struct pq)SET,                                                                                   \
     .unavailable = pq_unavailable,                                                                                    \
     .open = evp_open,                                                                                                 \
     .fetch = FETCH,                                                                                                   \
     __VA_ARGS__}
#define PQ_SET(...) {__VA_ARGS__}
#define PQ_ROWS(ALGORITHM, SET)                                                                                        \
    PQ_ROW(ALGORITHM, "keygen", "default", "EVP_PKEY_generate", pq_keygen, pq_keygen, pq_keygen_fetch, PQ_SET(SET),    \
           .seed = ecdsa_seed, .seeded = 1),                                                                           \
        PQ_ROW(ALGORITHM, "sign", "default", "EVP_PKEY_sign", pq_sign, pq_sign, pq_fetch, PQ_SET(SET),                 \
               .rekey = cs_setup_again, .seed = ecdsa_seed),                                                           \
        PQ_ROW(ALGORITHM, "sign", "deterministic", "EVP_PKEY_sign, deterministic 1", pq_sign_deterministic, pq_sign,   \
               pq_fetch, PQ_SET(SET), .rekey = cs_setup_again),                                                        \
        PQ_ROW(ALGORITHM, "verify", "default", "EVP_PKEY_verify", pq_verify, pq_verify, pq_fetch, PQ_SET(SET),         \
               .rekey = cs_setup_again)

#define ML_DSA_ROWS                                                                                                    \
    PQ_ROWS("ml-dsa-44", PQ_ML_DSA("ML-DSA-44")), PQ_ROWS("ml-dsa-65", PQ_ML_DSA("ML-DSA-65")),                        \
        PQ_ROWS("ml-dsa-87", PQ_ML_DSA("ML-DSA-87"))
#define PQ_ML_DSA(NAME) .name = NAME, .seeded = 1

/* The exchange of TLS as one encapsulation; it takes no seed. */
#define HYBRID_ROWS                                                                                                    \
    KEYGEN_ROW("x25519mlkem768", 0, .name = "X25519MLKEM768"),                                                         \
        KEM_ROW("x25519mlkem768", "X25519MLKEM768", encaps, 0, ecdsa_seed),                                            \
        KEM_ROW("x25519mlkem768", "X25519MLKEM768", decaps, 0, NULL)

#define SLH_DSA_ROWS                                                                                                   \
    PQ_ROWS("slh-dsa-sha2-128s", .name = "SLH-DSA-SHA2-128s"), PQ_ROWS("slh-dsa-sha2-128f", .name = "SLH-DSA-SHA2-"    \
                                                                                                    "128f")

#endif
