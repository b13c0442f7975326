/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: the rows of DSA, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_IPP_CRYPTO_DSA_H
#define CIPHERSTONE_IPP_CRYPTO_DSA_H

#include "adapter.h"
#include "dsa.h"

int setup_dsa_sign(cs_case *c);
int call_dsa_sign(cs_case *c);
int setup_dsa_verify(cs_case *c);
int call_dsa_verify(cs_case *c);
int setup_dsa_keygen(cs_case *c);
int call_dsa_keygen(cs_case *c);

/* clang-format off */
#define DSA_ROWS \
    {.id = "dsa-2048-sha256/sign", .impl = "default", .name = "ippsDLPGenKeyPair, ippsDLPSignDSA", .setup = setup_dsa_sign, .call = call_dsa_sign, .rekey = cs_setup_again, .teardown = teardown, .form = "p1363", .seed = seed, .counts_random = 1}, \
    {.id = "dsa-2048-sha256/verify", .impl = "default", .name = "ippsDLPVerifyDSA", .setup = setup_dsa_verify, .call = call_dsa_verify, .rekey = cs_setup_again, .teardown = teardown, .form = "p1363"}, \
    {.id = "dsa-2048-sha256/keygen", .impl = "default", .name = "ippsDLPGenKeyPair", .setup = setup_dsa_keygen, .call = call_dsa_keygen, .teardown = teardown, .seed = seed, .counts_random = 1}
/* clang-format on */

#endif
