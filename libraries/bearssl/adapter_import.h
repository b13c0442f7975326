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

#define IMPORT_ROW(BITS)                                                                                               \
    {.id = "rsa-" BITS "-pkcs8/import-private",                                                                        \
     .impl = "default",                                                                                                \
     .name = "br_skey_decoder",                                                                                        \
     .setup = bear_import_setup,                                                                                       \
     .call = bear_import_private,                                                                                      \
     .finish = bear_import_finish,                                                                                     \
     .teardown = bear_free}
#define IMPORTS IMPORT_ROW("2048"), IMPORT_ROW("4096")

#endif
