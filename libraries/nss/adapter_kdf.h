/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: the rows of key derivation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NSS_KDF_H
#define CIPHERSTONE_NSS_KDF_H

#include "adapter.h"

/* What a row points to: the hash of HKDF or the HMAC of PBKDF2, and the bytes of output. */
struct kdf_kind {
    CK_MECHANISM_TYPE hash;
    SECOidTag hmac;
    size_t bytes;
};

int kdf_setup(cs_case *c);
int hkdf_call(cs_case *c);
int pbkdf2_call(cs_case *c);
void kdf_teardown(cs_case *c);

#define KDF_ROW(ALGORITHM, NAME, CALL, HASH, HMAC, BYTES)                                                              \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = kdf_setup,                                                                                               \
     .call = CALL,                                                                                                     \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = kdf_teardown,                                                                                         \
     .param = &(const struct kdf_kind){HASH, HMAC, BYTES},                                                             \
     .open = nss_open}
#define HKDF_ROW(ALGORITHM, HASH, BYTES)                                                                               \
    KDF_ROW(ALGORITHM, "PK11_ImportSymKey, PK11_Derive CKM_HKDF_DERIVE", hkdf_call, HASH, SEC_OID_UNKNOWN, BYTES)
#define PBKDF2_ROW(ALGORITHM, HMAC, BYTES) KDF_ROW(ALGORITHM, "PK11_PBEKeyGen PBKDF2", pbkdf2_call, 0, HMAC, BYTES)
#define KDF_ROWS                                                                                                       \
    HKDF_ROW("hkdf-sha-256", CKM_SHA256, 32), HKDF_ROW("hkdf-sha-512", CKM_SHA512, 64),                                \
        PBKDF2_ROW("pbkdf2-hmac-sha-1", SEC_OID_HMAC_SHA1, 20),                                                        \
        PBKDF2_ROW("pbkdf2-hmac-sha-256", SEC_OID_HMAC_SHA256, 32),                                                    \
        PBKDF2_ROW("pbkdf2-hmac-sha-512", SEC_OID_HMAC_SHA512, 64)

#endif
