/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: the rows of what came after 3.87, Ed25519 and ML-KEM-768, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NSS_NEWER_H
#define CIPHERSTONE_NSS_NEWER_H

#include <nss.h>

#include "adapter.h"

/* As 3.110 has them, of which it is known. */
#if NSS_VMAJOR > 3 || (NSS_VMAJOR == 3 && NSS_VMINOR >= 110)
#define NSS_HAS_NEWER 1

int ed25519_sign_setup(cs_case *c);
int ed25519_sign_call(cs_case *c);
int ed25519_verify_setup(cs_case *c);
int ed25519_verify_call(cs_case *c);
int ed25519_keygen_call(cs_case *c);
int mlkem_keygen_call(cs_case *c);
int mlkem_encaps_setup(cs_case *c);
int mlkem_encaps_call(cs_case *c);
int mlkem_decaps_setup(cs_case *c);
int mlkem_decaps_call(cs_case *c);

#define NEWER_ROW(ID, NAME, SETUP, CALL, TEARDOWN, REKEY, SEED)                                                        \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .teardown = TEARDOWN,                                                                                             \
     .rekey = REKEY,                                                                                                   \
     .open = nss_open,                                                                                                 \
     .seed = SEED}
#define NEWER_ROWS                                                                                                     \
    NEWER_ROW("ed25519/sign", "PK11_Sign CKM_EDDSA", ed25519_sign_setup, ed25519_sign_call, pair_teardown,             \
              cs_setup_again, NULL),                                                                                   \
        NEWER_ROW("ed25519/verify", "PK11_Verify CKM_EDDSA", ed25519_verify_setup, ed25519_verify_call, pair_teardown, \
                  cs_setup_again, NULL),                                                                               \
        NEWER_ROW("ed25519/keygen", "PK11_GenerateKeyPair CKM_EC_EDWARDS_KEY_PAIR_GEN", keygen_setup,                  \
                  ed25519_keygen_call, NULL, NULL, nss_seed),                                                          \
        NEWER_ROW("ml-kem-768/keygen", "PK11_GenerateKeyPair CKM_NSS_ML_KEM_KEY_PAIR_GEN", keygen_setup,               \
                  mlkem_keygen_call, NULL, NULL, nss_seed),                                                            \
        NEWER_ROW("ml-kem-768/encaps", "PK11_Encapsulate", mlkem_encaps_setup, mlkem_encaps_call, pair_teardown,       \
                  cs_setup_again, nss_seed),                                                                           \
        NEWER_ROW("ml-kem-768/decaps", "PK11_Decapsulate", mlkem_decaps_setup, mlkem_decaps_call, pair_teardown,       \
                  cs_setup_again, NULL),
#else
#define NEWER_ROWS
#endif

#endif
