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
int import_point_finish(cs_case *c);
int import_scalar_finish(cs_case *c);

#define IMPORT_ROW(ID, NAME, CALL, FINISH, KIND)                                                                       \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = import_setup,                                                                                            \
     .call = import_##CALL##_call,                                                                                     \
     .finish = import_##FINISH##_finish,                                                                               \
     .teardown = import_teardown,                                                                                      \
     .param = &(const int){KIND},                                                                                      \
     .seed = seed_random}
#define IMPORT_ROWS_OF(KEYS, PUBLIC, PRIVATE, KIND)                                                                    \
    IMPORT_ROW(KEYS "-spki/import-public", "gnutls_pubkey_import", public, PUBLIC, KIND),                              \
        IMPORT_ROW(KEYS "-pkcs8/import-private", "gnutls_privkey_import_x509_raw", private, PRIVATE, KIND)
#define IMPORT_ROWS                                                                                                    \
    IMPORT_ROWS_OF("rsa-2048", public, private, GNUTLS_PK_RSA),                                                        \
        IMPORT_ROWS_OF("rsa-4096", public, private, GNUTLS_PK_RSA),                                                    \
        IMPORT_ROWS_OF("p-256", point, scalar, GNUTLS_PK_ECDSA)

#endif
