/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: the rows of key import, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NSS_IMPORT_H
#define CIPHERSTONE_NSS_IMPORT_H

#include "adapter.h"

int import_setup(cs_case *c);
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
     .teardown = pair_teardown,                                                                                        \
     .param = &(const KeyType){KIND},                                                                                  \
     .open = nss_open,                                                                                                 \
     .seed = nss_seed}
#define IMPORT_ROWS_OF(KEYS, PUBLIC, PRIVATE, KIND)                                                                    \
    IMPORT_ROW(KEYS "-spki/import-public", "SECKEY_DecodeDERSubjectPublicKeyInfo", public, PUBLIC, KIND),              \
        IMPORT_ROW(KEYS "-pkcs8/import-private", "PK11_ImportDERPrivateKeyInfoAndReturnKey", private, PRIVATE, KIND)
#define IMPORT_ROWS                                                                                                    \
    IMPORT_ROWS_OF("rsa-2048", public, private, rsaKey), IMPORT_ROWS_OF("rsa-4096", public, private, rsaKey),          \
        IMPORT_ROWS_OF("p-256", point, scalar, ecKey)

#endif
