/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium: the rows of key generation and ML-KEM, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBSODIUM_KEYS_H
#define CIPHERSTONE_LIBSODIUM_KEYS_H

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* Before sodium_init: what is drawn is told, in a process that counts. */
void count_drawn(void);
int setup_keygen(cs_case *c);
int call_x25519_keygen(cs_case *c);
int call_ed25519_keygen(cs_case *c);
int setup_base(cs_case *c);
int call_base(cs_case *c);
int setup_agree(cs_case *c);
int call_agree(cs_case *c);
int setup_kem_keygen(cs_case *c);
int call_kem_keygen(cs_case *c);
int setup_encaps(cs_case *c);
int call_encaps(cs_case *c);
int setup_decaps(cs_case *c);
int call_decaps(cs_case *c);

#define KEYGEN_ROWS                                                                                                    \
    {.id = "x25519/agree",                                                                                             \
     .impl = "default",                                                                                                \
     .name = "crypto_box_keypair, crypto_scalarmult",                                                                  \
     .setup = setup_agree,                                                                                             \
     .call = call_agree,                                                                                               \
     .rekey = cs_key_in_call,                                                                                          \
     .counts_random = 1},                                                                                              \
        {.id = "x25519/multiply-base",                                                                                 \
         .impl = "default",                                                                                            \
         .name = "crypto_scalarmult_base",                                                                             \
         .setup = setup_base,                                                                                          \
         .call = call_base},                                                                                           \
        {.id = "x25519/keygen",                                                                                        \
         .impl = "default",                                                                                            \
         .name = "crypto_box_keypair",                                                                                 \
         .setup = setup_keygen,                                                                                        \
         .call = call_x25519_keygen,                                                                                   \
         .counts_random = 1,                                                                                           \
         .seeded = 1},                                                                                                 \
        {.id = "ed25519/keygen",                                                                                       \
         .impl = "default",                                                                                            \
         .name = "crypto_sign_keypair",                                                                                \
         .setup = setup_keygen,                                                                                        \
         .call = call_ed25519_keygen,                                                                                  \
         .counts_random = 1,                                                                                           \
         .seeded = 1}

/* Of 1.0.22 and later. */
#define KEM_ROWS                                                                                                       \
    {.id = "ml-kem-768/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "crypto_kem_mlkem768_keypair",                                                                            \
     .setup = setup_kem_keygen,                                                                                        \
     .call = call_kem_keygen,                                                                                          \
     .counts_random = 1,                                                                                               \
     .seeded = 1},                                                                                                     \
        {.id = "ml-kem-768/encaps",                                                                                    \
         .impl = "default",                                                                                            \
         .name = "crypto_kem_mlkem768_enc",                                                                            \
         .setup = setup_encaps,                                                                                        \
         .call = call_encaps,                                                                                          \
         .rekey = cs_key_in_call,                                                                                      \
         .counts_random = 1,                                                                                           \
         .seeded = 1},                                                                                                 \
    {                                                                                                                  \
        .id = "ml-kem-768/decaps", .impl = "default", .name = "crypto_kem_mlkem768_dec", .setup = setup_decaps,        \
        .call = call_decaps, .rekey = cs_key_in_call                                                                   \
    }

#endif
