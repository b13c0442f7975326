/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: the rows of key agreement in finite fields, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_IPP_CRYPTO_FFDH_H
#define CIPHERSTONE_IPP_CRYPTO_FFDH_H

#include "adapter.h"
#include "ffdhe.h"

int setup_ffdh(cs_case *c);
int call_ffdh(cs_case *c);
int setup_ffdh_keygen(cs_case *c);
int call_ffdh_keygen(cs_case *c);

/* clang-format off */
#define FFDH(ALGORITHM, GROUP) \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "ippsDLPSharedSecretDH", .setup = setup_ffdh, .call = call_ffdh, .rekey = cs_setup_again, .teardown = teardown, .param = &(GROUP)}, \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "ippsDLPGenKeyPair", .setup = setup_ffdh_keygen, .call = call_ffdh_keygen, .teardown = teardown, .param = &(GROUP), .seed = seed, .counts_random = 1}
#define FFDH_ROWS FFDH("dh-2048", cs_ffdhe_2048), FFDH("dh-3072", cs_ffdhe_3072)
/* clang-format on */

#endif
