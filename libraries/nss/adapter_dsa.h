/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: the rows of DSA, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NSS_DSA_H
#define CIPHERSTONE_NSS_DSA_H

#include "dsa.h"
#include "adapter.h"

int dsa_setup(cs_case *c);
int dsa_sign_call(cs_case *c);
int dsa_verify_call(cs_case *c);
int dsa_keygen_setup(cs_case *c);
int dsa_keygen_call(cs_case *c);
void dsa_keygen_teardown(cs_case *c);

#define DSA_ROW(VERB, NAME, ...)                                                                                       \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .call = dsa_##VERB##_call,                                                                                        \
     .open = nss_open,                                                                                                 \
     .seed = nss_seed,                                                                                                 \
     __VA_ARGS__}
#define DSA_KEYED .setup = dsa_setup, .rekey = cs_setup_again, .teardown = pair_teardown, .form = "der"
#define DSA_ROWS                                                                                                       \
    DSA_ROW(sign, "SEC_SignData", DSA_KEYED), DSA_ROW(verify, "VFY_VerifyDataDirect", DSA_KEYED),                      \
        DSA_ROW(keygen, "PK11_GenerateKeyPair CKM_DSA_KEY_PAIR_GEN", .setup = dsa_keygen_setup,                        \
                .teardown = dsa_keygen_teardown)

#endif
