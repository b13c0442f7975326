/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: the rows of ML-KEM, of 1.12 and later, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_KEM_H
#define CIPHERSTONE_LIBGCRYPT_KEM_H

#include "adapter.h"

/* A parameter set: its number, and lengths in bytes. */
struct kem {
    int algo;
    size_t public_len, private_len, ciphertext_len;
};

int kem_keygen_setup(cs_case *c);
int kem_keygen_call(cs_case *c);
int encaps_setup(cs_case *c);
int encaps_call(cs_case *c);
int decaps_setup(cs_case *c);
int decaps_call(cs_case *c);

#define KEM_OF(BITS)                                                                                                   \
    &(const struct kem){GCRY_KEM_MLKEM##BITS, GCRY_KEM_MLKEM##BITS##_PUBKEY_LEN, GCRY_KEM_MLKEM##BITS##_SECKEY_LEN,    \
                        GCRY_KEM_MLKEM##BITS##_CIPHER_LEN}
#define KEM_ROW(BITS, VERB, NAME, SETUP, REKEY, SEED, SEEDED)                                                          \
    {.id = "ml-kem-" #BITS "/" VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = SETUP##_setup,                                                                                           \
     .call = SETUP##_call,                                                                                             \
     .rekey = REKEY,                                                                                                   \
     .param = KEM_OF(BITS),                                                                                            \
     .seed = SEED,                                                                                                     \
     .seeded = SEEDED}
#define KEM_ROWS_OF(BITS)                                                                                              \
    KEM_ROW(BITS, "keygen", "gcry_kem_genkey", kem_keygen, NULL, ecdsa_seed, 1),                                       \
        KEM_ROW(BITS, "encaps", "gcry_kem_encap", encaps, cs_key_in_call, ecdsa_seed, 1),                              \
        KEM_ROW(BITS, "decaps", "gcry_kem_decap", decaps, cs_key_in_call, NULL, 0)
#define KEM_ROWS KEM_ROWS_OF(512), KEM_ROWS_OF(768), KEM_ROWS_OF(1024)

#endif
