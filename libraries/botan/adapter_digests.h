/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: rows on the functions of adapter.cpp, for its table, of what a build may have left out.
 */
#ifndef CIPHERSTONE_BOTAN_DIGESTS_H
#define CIPHERSTONE_BOTAN_DIGESTS_H

#include <botan/build.h>

#if defined(BOTAN_HAS_SM3)
#define SM3_ROW hash_row("sm3/hash", "SM3"),
#else
#define SM3_ROW
#endif
#if defined(BOTAN_HAS_RIPEMD_160)
#define RIPEMD_ROW hash_row("ripemd-160/hash", "RIPEMD-160"),
#else
#define RIPEMD_ROW
#endif
#define OTHER_HASHES SM3_ROW RIPEMD_ROW

#if defined(BOTAN_HAS_SIPHASH)
#define SIPHASH_ROW                                                                                                    \
    {.id = "siphash-2-4/mac",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "SipHash(2,4)",                                                                                           \
     .setup = setup_mac,                                                                                               \
     .call = call_one_time_mac,                                                                                        \
     .teardown = teardown<MacState>,                                                                                   \
     .rekey = cs_key_in_call},
#else
#define SIPHASH_ROW
#endif

#endif
