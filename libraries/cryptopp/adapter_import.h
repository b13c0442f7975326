/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: the rows of key import, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_CRYPTOPP_IMPORT_H
#define CIPHERSTONE_CRYPTOPP_IMPORT_H

#include "adapter.h"

namespace cs_cryptopp
{

int setup_import(cs_case *c) noexcept;
void teardown_import(cs_case *c) noexcept;
int call_import_public(cs_case *c) noexcept;
int call_import_private(cs_case *c) noexcept;
int finish_import_public(cs_case *c) noexcept;
int finish_import_private(cs_case *c) noexcept;
int setup_import_ec(cs_case *c) noexcept;
void teardown_import_ec(cs_case *c) noexcept;
int call_import_scalar(cs_case *c) noexcept;
int finish_import_scalar(cs_case *c) noexcept;

} // namespace cs_cryptopp

#define IMPORT_ROW(ID, NAME, KIND)                                                                                     \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_import,                                                                                            \
     .call = call_import_##KIND,                                                                                       \
     .teardown = teardown_import,                                                                                      \
     .finish = finish_import_##KIND}
#define IMPORT_ROWS_OF(BITS)                                                                                           \
    IMPORT_ROW("rsa-" BITS "-spki/import-public", "RSA::PublicKey::Load", public),                                     \
        IMPORT_ROW("rsa-" BITS "-pkcs8/import-private", "RSA::PrivateKey::Load", private)
#define IMPORT_ROWS                                                                                                    \
    IMPORT_ROWS_OF("2048"), IMPORT_ROWS_OF("4096"),                                                                    \
    {                                                                                                                  \
        .id = "p-256-pkcs8/import-private", .impl = "default", .name = "ECDSA::PrivateKey::Load",                      \
        .setup = setup_import_ec, .call = call_import_scalar, .teardown = teardown_import_ec,                          \
        .finish = finish_import_scalar                                                                                 \
    }

#endif
