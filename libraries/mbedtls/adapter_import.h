/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: the rows of key import, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_MBEDTLS_IMPORT_H
#define CIPHERSTONE_MBEDTLS_IMPORT_H

#include "adapter.h"

int setup_import(cs_case *c);
void teardown_import(cs_case *c);
int call_import_public(cs_case *c);
int call_import_private(cs_case *c);
int finish_import_public(cs_case *c);
int finish_import_private(cs_case *c);

#define IMPORT_ROW(ID, NAME, KIND)                                                                                     \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_import,                                                                                            \
     .call = call_import_##KIND,                                                                                       \
     .finish = finish_import_##KIND,                                                                                   \
     .teardown = teardown_import,                                                                                      \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1}
#define IMPORT_ROWS_OF(BITS)                                                                                           \
    IMPORT_ROW("rsa-" BITS "-spki/import-public", "mbedtls_pk_parse_public_key", public),                              \
        IMPORT_ROW("rsa-" BITS "-pkcs8/import-private", "mbedtls_pk_parse_key", private)
#define IMPORT_ROWS IMPORT_ROWS_OF("2048"), IMPORT_ROWS_OF("4096")

#endif
