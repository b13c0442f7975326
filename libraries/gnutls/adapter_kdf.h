/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: the rows of key derivation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_GNUTLS_KDF_H
#define CIPHERSTONE_GNUTLS_KDF_H

#include "adapter.h"

/* What a row points to: the MAC, and the bytes of output, which are those of the MAC. */
struct kdf_kind {
    gnutls_mac_algorithm_t mac;
    size_t bytes;
};

int kdf_setup(cs_case *c);
int hkdf_call(cs_case *c);
int pbkdf2_call(cs_case *c);
void kdf_teardown(cs_case *c);

#define KDF_ROW(ALGORITHM, NAME, CALL, MAC, BYTES)                                                                     \
    {                                                                                                                  \
        .id = ALGORITHM "/derive", .impl = "default", .name = NAME, .setup = kdf_setup, .call = CALL,                  \
        .rekey = cs_key_in_call, .teardown = kdf_teardown, .param = &(const struct kdf_kind)                           \
        {                                                                                                              \
            MAC, BYTES                                                                                                 \
        }                                                                                                              \
    }
#define KDF_ROWS                                                                                                       \
    KDF_ROW("hkdf-sha-256", "gnutls_hkdf_extract, gnutls_hkdf_expand", hkdf_call, GNUTLS_MAC_SHA256, 32),              \
        KDF_ROW("hkdf-sha-512", "gnutls_hkdf_extract, gnutls_hkdf_expand", hkdf_call, GNUTLS_MAC_SHA512, 64),          \
        KDF_ROW("pbkdf2-hmac-sha-1", "gnutls_pbkdf2", pbkdf2_call, GNUTLS_MAC_SHA1, 20),                               \
        KDF_ROW("pbkdf2-hmac-sha-256", "gnutls_pbkdf2", pbkdf2_call, GNUTLS_MAC_SHA256, 32),                           \
        KDF_ROW("pbkdf2-hmac-sha-512", "gnutls_pbkdf2", pbkdf2_call, GNUTLS_MAC_SHA512, 64)

#endif
