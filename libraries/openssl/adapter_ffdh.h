/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: the rows of key agreement in finite fields, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_OPENSSL_FFDH_H
#define CIPHERSTONE_OPENSSL_FFDH_H

#include "adapter_keys.h"

const char *ffdh_fetch(const struct cs_op *op, void **fetched);
int ffdh_setup(cs_case *c);
int ffdh_keygen_call(cs_case *c);

/* clang-format off */
#define FFDH_ROWS_OF(ALGORITHM, GROUP)                                                                                 \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "EVP_PKEY_derive DH " GROUP, .setup = ffdh_setup, .call = derive_call, .rekey = cs_setup_again, .teardown = session_free, .param = &(const struct key_kind){.name = "DH", .group = GROUP}, .unavailable = keygen_unavailable, .open = evp_open, .fetch = ffdh_fetch}, \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "EVP_PKEY_generate", .setup = keygen_setup, .call = ffdh_keygen_call, .teardown = session_free, .param = &(const struct key_kind){.name = "DH", .group = GROUP}, .unavailable = keygen_unavailable, .open = evp_open, .fetch = keygen_fetch, .seed = ecdsa_seed}
#define FFDH_ROWS FFDH_ROWS_OF("dh-2048", "ffdhe2048"), FFDH_ROWS_OF("dh-3072", "ffdhe3072")
/* clang-format on */

#endif
