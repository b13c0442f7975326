/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: the rows of key import, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_GNUTLS_IMPORT_H
#define CIPHERSTONE_GNUTLS_IMPORT_H

#include "adapter.h"

int import_setup(cs_case *c);
void import_teardown(cs_case *c);
int import_public_call(cs_case *c);
int import_private_call(cs_case *c);
int import_public_finish(cs_case *c);
int import_private_finish(cs_case *c);

#define IMPORT_ROW(ID, NAME, KIND)                                                                                     \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = import_setup,                                                                                            \
     .call = import_##KIND##_call,                                                                                     \
     .finish = import_##KIND##_finish,                                                                                 \
     .teardown = import_teardown,                                                                                      \
     .seed = seed_random}
#define IMPORT_ROWS_OF(BITS)                                                                                           \
    IMPORT_ROW("rsa-" BITS "-spki/import-public", "gnutls_pubkey_import", public),                                     \
        IMPORT_ROW("rsa-" BITS "-pkcs8/import-private", "gnutls_privkey_import_x509_raw", private)
#define IMPORT_ROWS IMPORT_ROWS_OF("2048"), IMPORT_ROWS_OF("4096")

#endif
