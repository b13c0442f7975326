/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: the rows of key import, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_OPENSSL_IMPORT_H
#define CIPHERSTONE_OPENSSL_IMPORT_H

#include "session.h"

/* A kind of key: its name to fetch, the number of its type, and the structure that a decoder reads. */
struct import_kind {
    const char *name;
    int type;
    const char *structure;
};

const char *import_unavailable(const struct cs_op *op);
int import_setup(cs_case *c);
int import_decoder_setup(cs_case *c);
int import_public_call(cs_case *c);
int import_private_call(cs_case *c);
int import_decoder_call(cs_case *c);
int import_public_finish(cs_case *c);
int import_private_finish(cs_case *c);
int import_point_finish(cs_case *c);
int import_scalar_finish(cs_case *c);

#define IMPORT_ROW(ID, IMPL, NAME, SETUP, CALL, FINISH, ...)                                                           \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .finish = FINISH,                                                                                                 \
     .teardown = session_free,                                                                                         \
     .param = &(const struct import_kind){__VA_ARGS__},                                                                \
     .unavailable = import_unavailable,                                                                                \
     .open = evp_open,                                                                                                 \
     .settle = evp_settle}
#define IMPORT_ROWS_OF(KEYS, PUBLIC_FINISH, PRIVATE_FINISH, NAME, TYPE)                                                \
    IMPORT_ROW(KEYS "-spki/import-public", "default", "d2i_PUBKEY", import_setup, import_public_call, PUBLIC_FINISH,   \
               NAME, TYPE, NULL),                                                                                      \
        IMPORT_ROW(KEYS "-spki/import-public", "OSSL_DECODER", "OSSL_DECODER_from_data", import_decoder_setup,         \
                   import_decoder_call, PUBLIC_FINISH, NAME, TYPE, "SubjectPublicKeyInfo"),                            \
        IMPORT_ROW(KEYS "-pkcs8/import-private", "default", "d2i_PrivateKey", import_setup, import_private_call,       \
                   PRIVATE_FINISH, NAME, TYPE, NULL),                                                                  \
        IMPORT_ROW(KEYS "-pkcs8/import-private", "OSSL_DECODER", "OSSL_DECODER_from_data", import_decoder_setup,       \
                   import_decoder_call, PRIVATE_FINISH, NAME, TYPE, "PrivateKeyInfo")
#define RSA_IMPORT_ROWS(KEYS) IMPORT_ROWS_OF(KEYS, import_public_finish, import_private_finish, "RSA", EVP_PKEY_RSA)
#define IMPORT_ROWS                                                                                                    \
    RSA_IMPORT_ROWS("rsa-2048"), RSA_IMPORT_ROWS("rsa-4096"),                                                          \
        IMPORT_ROWS_OF("p-256", import_point_finish, import_scalar_finish, "EC", EVP_PKEY_EC)

#endif
