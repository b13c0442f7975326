/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: the rows of RSA-PSS, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_HACL_RSA_H
#define CIPHERSTONE_HACL_RSA_H

#include "adapter.h"

int setup_rsa(cs_case *c);
void teardown_rsa(cs_case *c);
int call_rsa_pss_sign(cs_case *c);
int call_rsa_pss_verify(cs_case *c);

#define RSA_ROW(ID, NAME, CALL)                                                                                        \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_rsa,                                                                                               \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = teardown_rsa,                                                                                         \
     .seed = seed,                                                                                                     \
     .counts_random = 1}
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_ROW("rsa-" BITS "-pss-sha256/sign", "Hacl_RSAPSS_rsapss_sign", call_rsa_pss_sign),                             \
        RSA_ROW("rsa-" BITS "-pss-sha256/verify", "Hacl_RSAPSS_rsapss_verify", call_rsa_pss_verify)
#define RSA_ROWS RSA_ROWS_OF("2048"), RSA_ROWS_OF("3072"), RSA_ROWS_OF("4096")

#endif
