/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: the rows of key import, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_MBEDTLS_IMPORT_H
#define CIPHERSTONE_MBEDTLS_IMPORT_H

#include <mbedtls/pk.h>

#include "adapter.h"

int setup_import(cs_case *c);
void teardown_import(cs_case *c);
int call_import_public(cs_case *c);
int call_import_private(cs_case *c);
int finish_import_public(cs_case *c);
int finish_import_private(cs_case *c);
int finish_import_point(cs_case *c);
int finish_import_scalar(cs_case *c);

#define IMPORT_ROW(ID, NAME, CALL, FINISH, TYPE)                                                                       \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_import,                                                                                            \
     .call = call_import_##CALL,                                                                                       \
     .finish = finish_import_##FINISH,                                                                                 \
     .teardown = teardown_import,                                                                                      \
     .param = &(const mbedtls_pk_type_t){TYPE},                                                                        \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1}
#define IMPORT_ROWS_OF(KEYS, PUBLIC, PRIVATE, TYPE)                                                                    \
    IMPORT_ROW(KEYS "-spki/import-public", "mbedtls_pk_parse_public_key", public, PUBLIC, TYPE),                       \
        IMPORT_ROW(KEYS "-pkcs8/import-private", "mbedtls_pk_parse_key", private, PRIVATE, TYPE)
#define IMPORT_ROWS                                                                                                    \
    IMPORT_ROWS_OF("rsa-2048", public, private, MBEDTLS_PK_RSA),                                                       \
        IMPORT_ROWS_OF("rsa-4096", public, private, MBEDTLS_PK_RSA),                                                   \
        IMPORT_ROWS_OF("p-256", point, scalar, MBEDTLS_PK_ECKEY)

#endif
