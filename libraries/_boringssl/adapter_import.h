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

#define IMPORT_ROW(ID, NAME, KIND)                                                                                     \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = import_setup,                                                                                            \
     .call = import_##KIND##_call,                                                                                     \
     .finish = import_##KIND##_finish,                                                                                 \
     .teardown = session_free,                                                                                         \
     .seed = random_seed}
#define IMPORT_ROWS_OF(BITS)                                                                                           \
    IMPORT_ROW("rsa-" BITS "-spki/import-public", "EVP_parse_public_key", public),                                     \
        IMPORT_ROW("rsa-" BITS "-pkcs8/import-private", "EVP_parse_private_key", private)
#define IMPORT_ROWS IMPORT_ROWS_OF("2048"), IMPORT_ROWS_OF("4096")

#endif
