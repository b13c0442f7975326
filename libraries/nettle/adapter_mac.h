/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle: the rows of HMAC with SHA-1, SHA-384 and SHA-512, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NETTLE_MAC_H
#define CIPHERSTONE_NETTLE_MAC_H

#include "adapter.h"

#define HMAC_OF(NAME)                                                                                                  \
    int NAME##_setup(cs_case *c);                                                                                      \
    int NAME##_rekey(cs_case *c);                                                                                      \
    int NAME##_call(cs_case *c);
HMAC_OF(hmac_sha1)
HMAC_OF(hmac_sha384)
HMAC_OF(hmac_sha512)
#undef HMAC_OF

#define HMAC_ROW(ALGORITHM, NAME)                                                                                      \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "default",                                                                                                \
     .name = #NAME,                                                                                                    \
     .setup = NAME##_setup,                                                                                            \
     .call = NAME##_call,                                                                                              \
     .rekey = NAME##_rekey,                                                                                            \
     .teardown = free_state}
#define HMAC_ROWS                                                                                                      \
    HMAC_ROW("hmac-sha-1", hmac_sha1), HMAC_ROW("hmac-sha-384", hmac_sha384), HMAC_ROW("hmac-sha-512", hmac_sha512)

#endif
