/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the rows of key import, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_BOTAN_IMPORT_H
#define CIPHERSTONE_BOTAN_IMPORT_H

#include "adapter.h"

namespace cs_botan
{

int setup_import(cs_case *c) noexcept;
void teardown_import(cs_case *c) noexcept;
int call_import_public(cs_case *c) noexcept;
int call_import_private(cs_case *c) noexcept;
int finish_import_public(cs_case *c) noexcept;
int finish_import_private(cs_case *c) noexcept;
int finish_import_point(cs_case *c) noexcept;
int finish_import_scalar(cs_case *c) noexcept;

} // namespace cs_botan

#define IMPORT_ROW(ID, NAME, CALL, FINISH, KIND)                                                                       \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_import,                                                                                            \
     .call = call_import_##CALL,                                                                                       \
     .teardown = teardown_import,                                                                                      \
     .param = KIND,                                                                                                    \
     .finish = finish_import_##FINISH,                                                                                 \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define IMPORT_ROWS_OF(KEYS, PUBLIC, PRIVATE, KIND)                                                                    \
    IMPORT_ROW(KEYS "-spki/import-public", "X509::load_key", public, PUBLIC, KIND),                                    \
        IMPORT_ROW(KEYS "-pkcs8/import-private", "PKCS8::load_key", private, PRIVATE, KIND)
#define IMPORT_ROWS                                                                                                    \
    IMPORT_ROWS_OF("rsa-2048", public, private, "RSA"), IMPORT_ROWS_OF("rsa-4096", public, private, "RSA"),            \
        IMPORT_ROWS_OF("p-256", point, scalar, "ECDSA")

#endif
