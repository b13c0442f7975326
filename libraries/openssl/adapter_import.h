/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: the rows of key import, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_OPENSSL_IMPORT_H
#define CIPHERSTONE_OPENSSL_IMPORT_H

#include "session.h"

const char *import_unavailable(const struct cs_op *op);
int import_setup(cs_case *c);
int import_decoder_setup(cs_case *c);
int import_public_call(cs_case *c);
int import_private_call(cs_case *c);
int import_decoder_call(cs_case *c);
int import_public_finish(cs_case *c);
int import_private_finish(cs_case *c);

/* `param` names the structure for a decoder. */
#define IMPORT_ROW(ID, IMPL, NAME, SETUP, CALL, FINISH, STRUCTURE)                                                     \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .finish = FINISH,                                                                                                 \
     .teardown = session_free,                                                                                         \
     .param = STRUCTURE,                                                                                               \
     .unavailable = import_unavailable,                                                                                \
     .open = evp_open}
#define IMPORT_ROWS_OF(BITS)                                                                                           \
    IMPORT_ROW("rsa-" BITS "-spki/import-public", "default", "d2i_PUBKEY", import_setup, import_public_call,           \
               import_public_finish, NULL),                                                                            \
        IMPORT_ROW("rsa-" BITS "-spki/import-public", "OSSL_DECODER", "OSSL_DECODER_from_data", import_decoder_setup,  \
                   import_decoder_call, import_public_finish, "SubjectPublicKeyInfo"),                                 \
        IMPORT_ROW("rsa-" BITS "-pkcs8/import-private", "default", "d2i_PrivateKey", import_setup,                     \
                   import_private_call, import_private_finish, NULL),                                                  \
        IMPORT_ROW("rsa-" BITS "-pkcs8/import-private", "OSSL_DECODER", "OSSL_DECODER_from_data",                      \
                   import_decoder_setup, import_decoder_call, import_private_finish, "PrivateKeyInfo")
#define IMPORT_ROWS IMPORT_ROWS_OF("2048"), IMPORT_ROWS_OF("4096")

#endif
