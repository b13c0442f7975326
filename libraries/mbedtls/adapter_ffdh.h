/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: the rows of key agreement in finite fields, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_MBEDTLS_FFDH_H
#define CIPHERSTONE_MBEDTLS_FFDH_H

#include "ffdhe.h"
#include "adapter.h"

int setup_ffdh(cs_case *c);
int call_ffdh(cs_case *c);
void teardown_ffdh(cs_case *c);
int setup_ffdh_keygen(cs_case *c);
int call_ffdh_keygen(cs_case *c);

/* clang-format off */
#define FFDH_ROWS_OF(ALGORITHM, GROUP)                                                                                 \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "mbedtls_dhm_calc_secret", .setup = setup_ffdh, .call = call_ffdh, .rekey = cs_setup_again, .teardown = teardown_ffdh, .param = &(GROUP), .seed = seed_drbg, .counts_random = 1}, \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "mbedtls_dhm_make_public", .setup = setup_ffdh_keygen, .call = call_ffdh_keygen, .teardown = teardown_ffdh, .param = &(GROUP), .seed = seed_drbg, .counts_random = 1}
#define FFDH_ROWS FFDH_ROWS_OF("dh-2048", cs_ffdhe_2048), FFDH_ROWS_OF("dh-3072", cs_ffdhe_3072)
/* clang-format on */

#endif
