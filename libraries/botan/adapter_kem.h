/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the rows of ML-KEM, of 3.6 and later, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_BOTAN_KEM_H
#define CIPHERSTONE_BOTAN_KEM_H

#include "adapter.h"

namespace cs_botan
{

int setup_kem_keygen(cs_case *c) noexcept;
int call_kem_keygen(cs_case *c) noexcept;
void teardown_kem_keygen(cs_case *c) noexcept;
int setup_encaps(cs_case *c) noexcept;
int call_encaps(cs_case *c) noexcept;
void teardown_encaps(cs_case *c) noexcept;
int setup_decaps(cs_case *c) noexcept;
int call_decaps(cs_case *c) noexcept;
void teardown_decaps(cs_case *c) noexcept;

} // namespace cs_botan

/* `param` is Botan's name of the parameter set. */
#define KEM_ROW(ALGORITHM, PARAMETERS, VERB, NAME, SETUP, REKEY, SEEDED)                                               \
    {.id = ALGORITHM "/" VERB,                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_##SETUP,                                                                                           \
     .call = call_##SETUP,                                                                                             \
     .teardown = teardown_##SETUP,                                                                                     \
     .param = PARAMETERS,                                                                                              \
     .rekey = REKEY,                                                                                                   \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1,                                                                                               \
     .seeded = SEEDED}
#define KEM_ROWS_OF(ALGORITHM, PARAMETERS)                                                                             \
    KEM_ROW(ALGORITHM, PARAMETERS, "keygen", "ML_KEM_PrivateKey", kem_keygen, nullptr, 1),                             \
        KEM_ROW(ALGORITHM, PARAMETERS, "encaps", "PK_KEM_Encryptor", encaps, cs_setup_again, 1),                       \
        KEM_ROW(ALGORITHM, PARAMETERS, "decaps", "PK_KEM_Decryptor", decaps, cs_setup_again, 0)
#define KEM_ROWS                                                                                                       \
    KEM_ROWS_OF("ml-kem-512", "ML-KEM-512"), KEM_ROWS_OF("ml-kem-768", "ML-KEM-768"),                                  \
        KEM_ROWS_OF("ml-kem-1024", "ML-KEM-1024")

#endif
