/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: the rows of key agreement in finite fields, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_CRYPTOPP_FFDH_H
#define CIPHERSTONE_CRYPTOPP_FFDH_H

#include "ffdhe.h"
#include "adapter.h"

namespace cs_cryptopp
{

int setup_ffdh(cs_case *c) noexcept;
int call_ffdh(cs_case *c) noexcept;
void teardown_ffdh(cs_case *c) noexcept;
int setup_ffdh_keygen(cs_case *c) noexcept;
int call_ffdh_keygen(cs_case *c) noexcept;

} // namespace cs_cryptopp

#define FFDH_ROWS_OF(ALGORITHM, GROUP)                                                                                 \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "DH::Agree",                                                                                              \
     .setup = setup_ffdh,                                                                                              \
     .call = call_ffdh,                                                                                                \
     .teardown = teardown_ffdh,                                                                                        \
     .param = &(GROUP),                                                                                                \
     .rekey = cs_setup_again},                                                                                         \
        {.id = ALGORITHM "/keygen",                                                                                    \
         .impl = "default",                                                                                            \
         .name = "DH::GenerateKeyPair",                                                                                \
         .setup = setup_ffdh_keygen,                                                                                   \
         .call = call_ffdh_keygen,                                                                                     \
         .teardown = teardown_ffdh,                                                                                    \
         .param = &(GROUP),                                                                                            \
         .seed = seed_rng,                                                                                             \
         .counts_random = 1}
#define FFDH_ROWS FFDH_ROWS_OF("dh-2048", cs_ffdhe_2048), FFDH_ROWS_OF("dh-3072", cs_ffdhe_3072)

#endif
