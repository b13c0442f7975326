/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: the rows of key derivation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_BEARSSL_KDF_H
#define CIPHERSTONE_BEARSSL_KDF_H

#include "adapter.h"

/* `param` is a br_hash_class, whose digest is as long as the output. */
int bear_hkdf_setup(cs_case *c);
int bear_hkdf(cs_case *c);

#define HKDF(ALGORITHM, HASH)                                                                                          \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "br_hkdf, br_" #HASH,                                                                                     \
     .setup = bear_hkdf_setup,                                                                                         \
     .call = bear_hkdf,                                                                                                \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = bear_free,                                                                                            \
     .param = &br_##HASH##_vtable}
#define KDF_ROWS HKDF("hkdf-sha-256", sha256), HKDF("hkdf-sha-512", sha512)

#endif
