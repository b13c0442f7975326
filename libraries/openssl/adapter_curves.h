/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: the rows of X448, Ed448 and brainpoolP256r1, for the table in adapter.c. The operations are those
 * of X25519, Ed25519 and P-256.
 */
#ifndef CIPHERSTONE_OPENSSL_CURVES_H
#define CIPHERSTONE_OPENSSL_CURVES_H

#include "adapter_nist.h"

/* clang-format off */
#define CURVE448_ROWS                                                                                                  \
    {.id = "x448/derive", .impl = "default", .name = "EVP_PKEY_derive X448", .setup = derive_setup, .call = derive_call, .rekey = cs_setup_again, .teardown = session_free, .param = "X448", .unavailable = derive_unavailable, .open = evp_open, .fetch = derive_fetch}, \
    {.id = "ed448/sign", .impl = "default", .name = "EVP_DigestSign ED448", .setup = ed25519_sign_setup, .call = ed25519_sign_call, .rekey = cs_setup_again, .teardown = session_free, .param = "ED448", .unavailable = sig_unavailable, .open = evp_open, .fetch = ed25519_fetch}, \
    {.id = "ed448/verify", .impl = "default", .name = "EVP_DigestVerify ED448", .setup = ed25519_verify_setup, .call = ed25519_verify_call, .rekey = cs_setup_again, .teardown = session_free, .param = "ED448", .unavailable = sig_unavailable, .open = evp_open, .fetch = ed25519_fetch}, \
    KEYGEN_ROW("x448", 0, .name = "X448"), KEYGEN_ROW("ed448", 0, .name = "ED448")
#define BRAINPOOL_ROWS                                                                                                 \
    ECDH_ROW("brainpool-p256", "brainpoolP256r1"), NIST_ROWS_OF("ecdsa-brainpoolp256r1-sha256", "brainpool-p256", "brainpoolP256r1")
/* clang-format on */

#endif
