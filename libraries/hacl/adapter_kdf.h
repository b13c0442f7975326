/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: the rows of key derivation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_HACL_KDF_H
#define CIPHERSTONE_HACL_KDF_H

#include "adapter.h"

#include <EverCrypt_HKDF.h>

int setup_hkdf(cs_case *c);
int call_hkdf(cs_case *c);

/* What a row points to: the hash, and the bytes of a digest and of the output. */
struct hkdf_kind {
    Spec_Hash_Definitions_hash_alg hash;
    uint32_t bytes;
};

#define HKDF_ROW(ALGORITHM, HASH, BYTES)                                                                               \
    {                                                                                                                  \
        .id = ALGORITHM "/derive", .impl = "default", .name = "EverCrypt_HKDF_extract, EverCrypt_HKDF_expand",         \
        .setup = setup_hkdf, .call = call_hkdf, .rekey = cs_key_in_call, .teardown = teardown_state,                   \
        .param = &(const struct hkdf_kind)                                                                             \
        {                                                                                                              \
            HASH, BYTES                                                                                                \
        }                                                                                                              \
    }
#define KDF_ROWS                                                                                                       \
    HKDF_ROW("hkdf-sha-256", Spec_Hash_Definitions_SHA2_256, 32),                                                      \
        HKDF_ROW("hkdf-sha-512", Spec_Hash_Definitions_SHA2_512, 64)

#endif
