/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium: the rows of HMAC-SHA-512 and SipHash, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBSODIUM_MAC_H
#define CIPHERSTONE_LIBSODIUM_MAC_H

#include "cipherstone.h"

int setup_hmac_sha512(cs_case *c);
int rekey_hmac_sha512(cs_case *c);
int call_hmac_sha512(cs_case *c);
void teardown_mac(cs_case *c);
int setup_siphash(cs_case *c);
int call_siphash(cs_case *c);

#define MAC_ROWS                                                                                                       \
    {.id = "hmac-sha-512/mac",                                                                                         \
     .impl = "default",                                                                                                \
     .name = "crypto_auth_hmacsha512",                                                                                 \
     .setup = setup_hmac_sha512,                                                                                       \
     .call = call_hmac_sha512,                                                                                         \
     .rekey = rekey_hmac_sha512,                                                                                       \
     .teardown = teardown_mac},                                                                                        \
    {                                                                                                                  \
        .id = "siphash-2-4/mac", .impl = "default", .name = "crypto_shorthash", .setup = setup_siphash,                \
        .call = call_siphash, .rekey = cs_key_in_call                                                                  \
    }

#endif
