/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the rows of key agreement in finite fields, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_BOTAN_FFDH_H
#define CIPHERSTONE_BOTAN_FFDH_H

#include "adapter.h"

#include <botan/build.h>

#if defined(BOTAN_HAS_DIFFIE_HELLMAN)
#define CS_BOTAN_HAS_DH 1

namespace cs_botan
{

int setup_ffdh(cs_case *c) noexcept;
int call_ffdh(cs_case *c) noexcept;
void teardown_ffdh(cs_case *c) noexcept;
int setup_ffdh_keygen(cs_case *c) noexcept;
int call_ffdh_keygen(cs_case *c) noexcept;
void teardown_ffdh_keygen(cs_case *c) noexcept;

} // namespace cs_botan

#define FFDH_ROWS_OF(ALGORITHM, GROUP)                                                                                 \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "PK_Key_Agreement DH",                                                                                    \
     .setup = setup_ffdh,                                                                                              \
     .call = call_ffdh,                                                                                                \
     .teardown = teardown_ffdh,                                                                                        \
     .param = GROUP,                                                                                                   \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1},                                                                                              \
        {.id = ALGORITHM "/keygen",                                                                                    \
         .impl = "default",                                                                                            \
         .name = "DH_PrivateKey",                                                                                      \
         .setup = setup_ffdh_keygen,                                                                                   \
         .call = call_ffdh_keygen,                                                                                     \
         .teardown = teardown_ffdh_keygen,                                                                             \
         .param = GROUP,                                                                                               \
         .seed = seed_rng,                                                                                             \
         .counts_random = 1,                                                                                           \
         .seeded = 1}
#define FFDH_ROWS FFDH_ROWS_OF("dh-2048", "ffdhe/ietf/2048"), FFDH_ROWS_OF("dh-3072", "ffdhe/ietf/3072"),
#else
#define FFDH_ROWS
#endif

#endif
