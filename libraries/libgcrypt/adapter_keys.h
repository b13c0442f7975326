/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: the rows of key generation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_KEYS_H
#define CIPHERSTONE_LIBGCRYPT_KEYS_H

#include "adapter.h"

/* What gcry_pk_genkey is asked for, and how the pair that it gives is written. */
struct genkey {
    const char *request;
    int (*put)(cs_case *c, gcry_sexp_t pair);
    size_t bits; /* of an RSA modulus, else 0 */
};

int keygen_setup(cs_case *c);
int keygen_call(cs_case *c);
void keygen_teardown(cs_case *c);
int put_x25519(cs_case *c, gcry_sexp_t pair);
int put_ed25519(cs_case *c, gcry_sexp_t pair);
int put_p256(cs_case *c, gcry_sexp_t pair);
int put_rsa(cs_case *c, gcry_sexp_t pair);

#define KEYGEN_ROW(ALGORITHM, ...)                                                                                     \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "gcry_pk_genkey",                                                                                         \
     .setup = keygen_setup,                                                                                            \
     .call = keygen_call,                                                                                              \
     .teardown = keygen_teardown,                                                                                      \
     .param = &(const struct genkey)__VA_ARGS__,                                                                       \
     .seed = ecdsa_seed}
#define RSA_KEYGEN_ROW(NUMBER, BITS)                                                                                   \
    KEYGEN_ROW("rsa-" NUMBER, {"(genkey(rsa(nbits 4:" NUMBER ")(rsa-use-e 5:65537)))", put_rsa, BITS})
#define KEYGEN_ROWS                                                                                                    \
    KEYGEN_ROW("x25519", {"(genkey(ecc(curve Curve25519)(flags djb-tweak comp)))", put_x25519, 0}),                    \
        KEYGEN_ROW("ed25519", {"(genkey(ecc(curve Ed25519)(flags eddsa comp)))", put_ed25519, 0}),                     \
        KEYGEN_ROW("p-256", {"(genkey(ecc(curve \"NIST P-256\")))", put_p256, 0}),                                     \
        KEYGEN_ROW("secp256k1", {"(genkey(ecc(curve secp256k1)))", put_p256, 0}), RSA_KEYGEN_ROW("2048", 2048),        \
        RSA_KEYGEN_ROW("3072", 3072), RSA_KEYGEN_ROW("4096", 4096)

#endif
