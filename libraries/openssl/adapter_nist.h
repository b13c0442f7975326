/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: the rows of P-384 and P-521, for the table in adapter.c. The operations are those of P-256.
 */
#ifndef CIPHERSTONE_OPENSSL_NIST_H
#define CIPHERSTONE_OPENSSL_NIST_H

#include "adapter_keys.h"
#include "adapter_multiples.h"

/* clang-format off */
#define NIST_ECDSA_ROW(ALGORITHM, GROUP, VERB, IMPL, NAME, SETUP, ...)                                                 \
    {.id = ALGORITHM "/" #VERB, .impl = IMPL, .name = "EVP_PKEY_" #VERB " ECDSA " GROUP NAME, .setup = SETUP, .call = ecdsa_##VERB##_call, .rekey = cs_setup_again, .teardown = session_free, .param = GROUP, .form = "der", .open = evp_open, .fetch = ecdsa_fetch, __VA_ARGS__}
#define ECDH_ROW(CURVE, GROUP)                                                                                         \
    {.id = CURVE "/derive", .impl = "default", .name = "EVP_PKEY_derive ECDH " GROUP, .setup = ecdh_setup, .call = derive_call, .rekey = cs_setup_again, .teardown = session_free, .param = GROUP, .unavailable = ecdsa_unavailable, .open = evp_open, .fetch = ecdh_fetch}
#define NIST_ROWS_OF(ALGORITHM, CURVE, GROUP)                                                                          \
    NIST_ECDSA_ROW(ALGORITHM, GROUP, sign, "default", "", ecdsa_sign_setup, .unavailable = ecdsa_unavailable, .seed = ecdsa_seed), \
    NIST_ECDSA_ROW(ALGORITHM, GROUP, sign, "rfc6979", ", nonce-type 1", ecdsa_sign_rfc6979_setup, .unavailable = nonce_unavailable), \
    NIST_ECDSA_ROW(ALGORITHM, GROUP, verify, "default", "", ecdsa_verify_setup, .unavailable = ecdsa_unavailable),     \
    KEYGEN_ROW(CURVE, 0, .name = "EC", .group = GROUP)
#define NIST_ROWS                                                                                                      \
    BASE_ROWS, ECDH_ROW("secp256k1", "secp256k1"), ECDH_ROW("p-256", "P-256"), ECDH_ROW("p-384", "P-384"), ECDH_ROW("p-521", "P-521"), NIST_ROWS_OF("ecdsa-p384-sha384", "p-384", "P-384"), NIST_ROWS_OF("ecdsa-p521-sha512", "p-521", "P-521")
/* clang-format on */

#endif
