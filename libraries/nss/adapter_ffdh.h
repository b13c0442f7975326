/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: the rows of key agreement in finite fields, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NSS_FFDH_H
#define CIPHERSTONE_NSS_FFDH_H

#include "adapter.h"
#include "ffdhe.h"

int ffdh_setup(cs_case *c);
int ffdh_call(cs_case *c);
int ffdh_keygen_setup(cs_case *c);
int ffdh_keygen_call(cs_case *c);

#define FFDH_ROWS_OF(ALGORITHM, GROUP)                                                                                 \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "PK11_PubDerive CKM_DH_PKCS_DERIVE",                                                                      \
     .setup = ffdh_setup,                                                                                              \
     .call = ffdh_call,                                                                                                \
     .teardown = pair_teardown,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .param = &(GROUP),                                                                                                \
     .open = nss_open},                                                                                                \
    {                                                                                                                  \
        .id = ALGORITHM "/keygen", .impl = "default", .name = "PK11_GenerateKeyPair CKM_DH_PKCS_KEY_PAIR_GEN",         \
        .setup = ffdh_keygen_setup, .call = ffdh_keygen_call, .param = &(GROUP), .open = nss_open, .seed = nss_seed    \
    }
#define FFDH_ROWS FFDH_ROWS_OF("dh-2048", cs_ffdhe_2048), FFDH_ROWS_OF("dh-3072", cs_ffdhe_3072)

#endif
