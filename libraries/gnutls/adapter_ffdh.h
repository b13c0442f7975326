/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: the rows of key agreement in finite fields, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_GNUTLS_FFDH_H
#define CIPHERSTONE_GNUTLS_FFDH_H

#include "adapter.h"

#if GNUTLS_VERSION_NUMBER >= 0x030802
/* What a row points to: numbers of the library's. */
struct ffdh_group {
    unsigned bits;
    const gnutls_datum_t *p, *q, *g;
};

int ffdh_setup(cs_case *c);
int ffdh_call(cs_case *c);
int ffdh_keygen_setup(cs_case *c);
int ffdh_keygen_call(cs_case *c);
void ffdh_keygen_teardown(cs_case *c);

/* clang-format off */
#define FFDH_GROUP(BITS)                                                                                               \
    .param = &(const struct ffdh_group){BITS, &gnutls_ffdhe_##BITS##_group_prime, &gnutls_ffdhe_##BITS##_group_q, &gnutls_ffdhe_##BITS##_group_generator}
#define FFDH_ROWS_OF(ALGORITHM, BITS)                                                                                  \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "gnutls_privkey_derive_secret", .setup = ffdh_setup, .call = ffdh_call, .rekey = cs_setup_again, .teardown = key_teardown, FFDH_GROUP(BITS)}, \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "gnutls_privkey_generate2", .setup = ffdh_keygen_setup, .call = ffdh_keygen_call, .teardown = ffdh_keygen_teardown, FFDH_GROUP(BITS), .seed = seed_random}
#define FFDH_ROWS FFDH_ROWS_OF("dh-2048", 2048), FFDH_ROWS_OF("dh-3072", 3072),
/* clang-format on */
#else
#define FFDH_ROWS
#endif

#endif
