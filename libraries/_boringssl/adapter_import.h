/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: the rows of key import, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_BORINGSSL_IMPORT_H
#define CIPHERSTONE_BORINGSSL_IMPORT_H

#include "adapter.h"

int import_setup(cs_case *c);
int import_public_call(cs_case *c);
int import_private_call(cs_case *c);
int import_public_finish(cs_case *c);
int import_private_finish(cs_case *c);
int import_point_finish(cs_case *c);
int import_scalar_finish(cs_case *c);

#define IMPORT_ROW(ID, NAME, CALL, FINISH, TYPE)                                                                       \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = import_setup,                                                                                            \
     .call = import_##CALL##_call,                                                                                     \
     .finish = import_##FINISH##_finish,                                                                               \
     .teardown = session_free,                                                                                         \
     .param = &(const int){TYPE},                                                                                      \
     .seed = random_seed}
#define IMPORT_ROWS_OF(KEYS, PUBLIC, PRIVATE, TYPE)                                                                    \
    IMPORT_ROW(KEYS "-spki/import-public", "EVP_parse_public_key", public, PUBLIC, TYPE),                              \
        IMPORT_ROW(KEYS "-pkcs8/import-private", "EVP_parse_private_key", private, PRIVATE, TYPE)
#define IMPORT_ROWS                                                                                                    \
    IMPORT_ROWS_OF("rsa-2048", public, private, EVP_PKEY_RSA),                                                         \
        IMPORT_ROWS_OF("rsa-4096", public, private, EVP_PKEY_RSA), IMPORT_ROWS_OF("p-256", point, scalar, EVP_PKEY_EC)

#endif
