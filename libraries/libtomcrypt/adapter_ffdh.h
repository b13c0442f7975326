/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: the rows of key agreement in finite fields, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBTOMCRYPT_FFDH_H
#define CIPHERSTONE_LIBTOMCRYPT_FFDH_H

#include "ffdhe.h"
#include "adapter.h"

int ffdh_setup(cs_case *c);
int ffdh_call(cs_case *c);
void ffdh_teardown(cs_case *c);
int ffdh_keygen_setup(cs_case *c);
int ffdh_keygen_call(cs_case *c);

/* clang-format off */
#define FFDH_ROWS_OF(ALGORITHM, GROUP)                                                                                 \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "dh_shared_secret", .setup = ffdh_setup, .call = ffdh_call, .rekey = cs_setup_again, .teardown = ffdh_teardown, .param = &(GROUP)}, \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "dh_generate_key", .setup = ffdh_keygen_setup, .call = ffdh_keygen_call, .param = &(GROUP), .seed = seed_random, .counts_random = 1}
#define FFDH_ROWS FFDH_ROWS_OF("dh-2048", cs_ffdhe_2048), FFDH_ROWS_OF("dh-3072", cs_ffdhe_3072)
/* clang-format on */

#endif
