/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: the rows of key agreement in finite fields, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_HACL_FFDH_H
#define CIPHERSTONE_HACL_FFDH_H

#include <Hacl_Spec.h>

#include "adapter.h"

int setup_ffdh(cs_case *c);
int call_ffdh(cs_case *c);
void teardown_ffdh(cs_case *c);

/* clang-format off */
#define FFDH_ROW(ALGORITHM, GROUP)                                                                                     \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "Hacl_FFDHE_ffdhe_shared_secret_precomp", .setup = setup_ffdh, .call = call_ffdh, .rekey = cs_key_in_call, .teardown = teardown_ffdh, .param = &(const uint8_t){GROUP}}
#define FFDH_ROWS FFDH_ROW("dh-2048", Spec_FFDHE_FFDHE2048), FFDH_ROW("dh-3072", Spec_FFDHE_FFDHE3072)
/* clang-format on */

#endif
