/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: the rows of key import, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_BEARSSL_IMPORT_H
#define CIPHERSTONE_BEARSSL_IMPORT_H

#include "adapter.h"

int bear_import_setup(cs_case *c);
int bear_import_private(cs_case *c);
int bear_import_finish(cs_case *c);
int bear_import_scalar_finish(cs_case *c);

#define IMPORT_ROW(KEYS, FINISH, TYPE)                                                                                 \
    {                                                                                                                  \
        .id = KEYS "-pkcs8/import-private", .impl = "default", .name = "br_skey_decoder", .setup = bear_import_setup,  \
        .call = bear_import_private, .finish = FINISH, .teardown = bear_free, .param = &(const int)                    \
        {                                                                                                              \
            TYPE                                                                                                       \
        }                                                                                                              \
    }
#define IMPORTS                                                                                                        \
    IMPORT_ROW("rsa-2048", bear_import_finish, BR_KEYTYPE_RSA),                                                        \
        IMPORT_ROW("rsa-4096", bear_import_finish, BR_KEYTYPE_RSA),                                                    \
        IMPORT_ROW("p-256", bear_import_scalar_finish, BR_KEYTYPE_EC)

#endif
