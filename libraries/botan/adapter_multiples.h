/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the rows of multiples of a generator, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_BOTAN_MULTIPLES_H
#define CIPHERSTONE_BOTAN_MULTIPLES_H

#include "adapter.h"

#include <botan/build.h>

namespace cs_botan
{

int setup_base(cs_case *c) noexcept;
int call_base(cs_case *c) noexcept;
void teardown_base(cs_case *c) noexcept;
int setup_x25519_base(cs_case *c) noexcept;
int call_x25519_base(cs_case *c) noexcept;

} // namespace cs_botan

#if BOTAN_VERSION_MAJOR > 3 || (BOTAN_VERSION_MAJOR == 3 && BOTAN_VERSION_MINOR >= 6)
#define BASE_FUNCTION "EC_AffinePoint::g_mul"
#else
#define BASE_FUNCTION "EC_Group::blinded_base_point_multiply"
#endif

/* Scalars are blinded with random numbers. */
#define BASE_ROW(ALGORITHM, CURVE)                                                                                     \
    {.id = ALGORITHM "/multiply-base",                                                                                 \
     .impl = "default",                                                                                                \
     .name = BASE_FUNCTION,                                                                                            \
     .setup = setup_base,                                                                                              \
     .call = call_base,                                                                                                \
     .teardown = teardown_base,                                                                                        \
     .param = CURVE,                                                                                                   \
     .unavailable = curve_unavailable,                                                                                 \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define BASE_ROWS                                                                                                      \
    {.id = "x25519/multiply-base",                                                                                     \
     .impl = "default",                                                                                                \
     .name = "curve25519_basepoint",                                                                                   \
     .setup = setup_x25519_base,                                                                                       \
     .call = call_x25519_base},                                                                                        \
        BASE_ROW("p-256", "secp256r1"), BASE_ROW("secp256k1", "secp256k1"), BASE_ROW("p-384", "secp384r1"),            \
        BASE_ROW("p-521", "secp521r1")

#endif
