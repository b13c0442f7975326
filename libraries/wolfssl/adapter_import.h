/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: the rows of key import, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_WOLFSSL_IMPORT_H
#define CIPHERSTONE_WOLFSSL_IMPORT_H

#include "adapter.h"

int import_setup(cs_case *c);
void import_teardown(cs_case *c);
int import_public_call(cs_case *c);
int import_private_call(cs_case *c);
int import_public_finish(cs_case *c);
int import_private_finish(cs_case *c);

int ec_import_setup(cs_case *c);
void ec_import_teardown(cs_case *c);
int point_import_call(cs_case *c);
int scalar_import_call(cs_case *c);
int point_import_finish(cs_case *c);
int scalar_import_finish(cs_case *c);

#define IMPORT_ROW(ID, NAME, KIND)                                                                                     \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = import_setup,                                                                                            \
     .call = import_##KIND##_call,                                                                                     \
     .finish = import_##KIND##_finish,                                                                                 \
     .teardown = import_teardown}
#define IMPORT_ROWS_OF(BITS)                                                                                           \
    IMPORT_ROW("rsa-" BITS "-spki/import-public", "wc_RsaPublicKeyDecode", public),                                    \
        IMPORT_ROW("rsa-" BITS "-pkcs8/import-private", "wc_RsaPrivateKeyDecode", private)
#define EC_IMPORT_ROW(ID, NAME, KIND)                                                                                  \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = ec_import_setup,                                                                                         \
     .call = KIND##_import_call,                                                                                       \
     .finish = KIND##_import_finish,                                                                                   \
     .teardown = ec_import_teardown}
#define IMPORT_ROWS                                                                                                    \
    IMPORT_ROWS_OF("2048"), IMPORT_ROWS_OF("4096"),                                                                    \
        EC_IMPORT_ROW("p-256-spki/import-public", "wc_EccPublicKeyDecode", point),                                     \
        EC_IMPORT_ROW("p-256-pkcs8/import-private", "wc_EccPrivateKeyDecode", scalar)

#endif
