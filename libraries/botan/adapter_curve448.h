/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the rows of X448 and Ed448, of 3.4 and later, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_BOTAN_CURVE448_H
#define CIPHERSTONE_BOTAN_CURVE448_H

#include "adapter.h"

#include <botan/build.h>

#if defined(BOTAN_HAS_X448) && defined(BOTAN_HAS_ED448)

namespace cs_botan
{

int setup_x448(cs_case *c) noexcept;
int call_x448(cs_case *c) noexcept;
void teardown_x448(cs_case *c) noexcept;
int setup_ed448_sign(cs_case *c) noexcept;
int setup_ed448_verify(cs_case *c) noexcept;
int setup_keygen448(cs_case *c) noexcept;
int call_x448_keygen(cs_case *c) noexcept;
int call_ed448_keygen(cs_case *c) noexcept;
void teardown_keygen448(cs_case *c) noexcept;

} // namespace cs_botan

#define KEYGEN448_ROW(ALGORITHM, NAME, CALL)                                                                           \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_keygen448,                                                                                         \
     .call = CALL,                                                                                                     \
     .teardown = teardown_keygen448,                                                                                   \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1,                                                                                               \
     .seeded = 1}
#define CURVE448_ROWS                                                                                                  \
    {.id = "x448/derive",                                                                                              \
     .impl = "default",                                                                                                \
     .name = "PK_Key_Agreement X448",                                                                                  \
     .setup = setup_x448,                                                                                              \
     .call = call_x448,                                                                                                \
     .teardown = teardown_x448,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1},                                                                                              \
        {.id = "ed448/sign",                                                                                           \
         .impl = "default",                                                                                            \
         .name = "PK_Signer Ed448",                                                                                    \
         .setup = setup_ed448_sign,                                                                                    \
         .call = call_sign,                                                                                            \
         .teardown = teardown_sign,                                                                                    \
         .rekey = cs_setup_again,                                                                                      \
         .seed = seed_rng,                                                                                             \
         .counts_random = 1},                                                                                          \
        {.id = "ed448/verify",                                                                                         \
         .impl = "default",                                                                                            \
         .name = "PK_Verifier Ed448",                                                                                  \
         .setup = setup_ed448_verify,                                                                                  \
         .call = call_verify_message,                                                                                  \
         .teardown = teardown_verify,                                                                                  \
         .rekey = cs_setup_again},                                                                                     \
        KEYGEN448_ROW("x448", "X448_PrivateKey", call_x448_keygen),                                                    \
        KEYGEN448_ROW("ed448", "Ed448_PrivateKey", call_ed448_keygen),
#else
#define CURVE448_ROWS
#endif

#endif
