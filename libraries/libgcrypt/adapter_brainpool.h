/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: the rows of brainpoolP256r1, for the table in adapter.c. The operations are those of P-256.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_BRAINPOOL_H
#define CIPHERSTONE_LIBGCRYPT_BRAINPOOL_H

#include "adapter_nist.h"

/* clang-format off */
#define BRAINPOOL_ROWS                                                                                                 \
    {.id = "brainpool-p256/derive", .impl = "default", .name = "gcry_pk_decrypt ECDH brainpoolP256r1", .setup = ecdh_setup, .call = ecdh_call, .rekey = cs_setup_again, .teardown = ecdh_teardown, .param = "(private-key(ecc(curve brainpoolP256r1)(d %b)))", .seed = ecdsa_seed}, \
    {.id = "ecdsa-brainpoolp256r1-sha256/sign", .impl = "default", .name = "gcry_pk_sign brainpoolP256r1", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &ecdsa_brainpool, .form = "p1363", .seed = ecdsa_seed}, \
    {.id = "ecdsa-brainpoolp256r1-sha256/sign", .impl = "rfc6979", .name = "gcry_pk_sign brainpoolP256r1 (flags rfc6979)", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &ecdsa_brainpool_rfc6979, .form = "p1363", .seed = ecdsa_seed}, \
    {.id = "ecdsa-brainpoolp256r1-sha256/verify", .impl = "default", .name = "gcry_pk_verify brainpoolP256r1", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &ecdsa_brainpool, .form = "p1363"}, \
    KEYGEN_ROW("brainpool-p256", {"(genkey(ecc(curve brainpoolP256r1)))", put_p256, 0})
/* clang-format on */

#endif
