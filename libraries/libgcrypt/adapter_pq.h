/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: the rows of ML-DSA, of 1.12 and later, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_PQ_H
#define CIPHERSTONE_LIBGCRYPT_PQ_H

#include "adapter.h"

/* A parameter set: its S-expressions, which begin with the library's name for it, and the bytes of its values. */
struct mldsa {
    const char *request;
    const char *public_form;
    const char *signature_form;
    size_t public_len, signature_len;
    const char *data_form;
};

int mldsa_keygen_setup(cs_case *c);
int mldsa_keygen_call(cs_case *c);
int mldsa_sign_setup(cs_case *c);
int mldsa_sign_call(cs_case *c);
int mldsa_verify_setup(cs_case *c);
int mldsa_verify_call(cs_case *c);
void mldsa_teardown(cs_case *c);

/* The numbers of FIPS 204: what the library calls it, bytes of a public key and of a signature. */
#define ML_DSA_44(DATA) ML_DSA_SET("dilithium2", 1312, 2420, DATA)
#define ML_DSA_65(DATA) ML_DSA_SET("dilithium3", 1952, 3309, DATA)
#define ML_DSA_87(DATA) ML_DSA_SET("dilithium5", 2592, 4627, DATA)
#define ML_DSA_SET(NAME, PUBLIC, SIGNATURE, DATA)                                                                      \
    &(const struct mldsa){                                                                                             \
        "(genkey(" NAME "(S%b)))", "(public-key(" NAME "(p%b)))", "(sig-val(" NAME "(s%b)))", PUBLIC, SIGNATURE, DATA}

/* Where the 32 random bytes of a signature come from: the library's generator, or they are zeros (FIPS 204 3.4). */
#define ML_DSA_HEDGED "(data(flags no-prefix)(value %b))"
#define ML_DSA_DETERMINISTIC                                                                                           \
    "(data(flags no-prefix)(value %b)(random-override #" ML_DSA_ZEROS ML_DSA_ZEROS ML_DSA_ZEROS ML_DSA_ZEROS "#))"
#define ML_DSA_ZEROS "0000000000000000"

#define ML_DSA_ROW(BITS, VERB, IMPL, NAME, DATA, ...)                                                                  \
    {.id = "ml-dsa-" #BITS "/" #VERB,                                                                                  \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = mldsa_##VERB##_setup,                                                                                    \
     .call = mldsa_##VERB##_call,                                                                                      \
     .teardown = mldsa_teardown,                                                                                       \
     .param = ML_DSA_##BITS(DATA),                                                                                     \
     __VA_ARGS__}
#define ML_DSA_ROWS_OF(BITS)                                                                                           \
    ML_DSA_ROW(BITS, keygen, "default", "gcry_randomize, gcry_pk_genkey", NULL, .seed = ecdsa_seed, .seeded = 1),      \
        ML_DSA_ROW(BITS, sign, "default", "gcry_pk_sign", ML_DSA_HEDGED, .rekey = cs_setup_again, .seed = ecdsa_seed), \
        ML_DSA_ROW(BITS, sign, "deterministic", "gcry_pk_sign, random-override", ML_DSA_DETERMINISTIC,                 \
                   .rekey = cs_setup_again),                                                                           \
        ML_DSA_ROW(BITS, verify, "default", "gcry_pk_verify", ML_DSA_HEDGED, .rekey = cs_setup_again)
#define ML_DSA_ROWS ML_DSA_ROWS_OF(44), ML_DSA_ROWS_OF(65), ML_DSA_ROWS_OF(87)

#endif
