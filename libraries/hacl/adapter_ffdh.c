/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: key agreement in finite fields, in the library's own groups.
 *
 * Entry points: Hacl_FFDHE_new_ffdhe_precomp_p, Hacl_FFDHE_ffdhe_shared_secret_precomp.
 */
#include <stdlib.h>

#include <Hacl_FFDHE.h>
#include <Hacl_Spec.h>

#include "adapter.h"

static Spec_FFDHE_ffdhe_alg group_of(const cs_case *c)
{
    return *(const uint8_t *)c->op->param;
}

/* What depends on the group alone is kept. */
static int setup_ffdh(cs_case *c)
{
    c->out_len = c->pub.len;
    c->state = Hacl_FFDHE_new_ffdhe_precomp_p(group_of(c));
    return c->state != NULL ? CS_OK : cs_fail("Hacl_FFDHE_new_ffdhe_precomp_p");
}

static void teardown_ffdh(cs_case *c)
{
    free(c->state);
    c->state = NULL;
}

/* It walks through as many bits as the modulus has, whatever the exponent's length, and checks the public value in
 * every call. */
static int call_ffdh(cs_case *c)
{
    return Hacl_FFDHE_ffdhe_shared_secret_precomp(group_of(c), c->state, bytes_of(c->key), bytes_of(c->pub), c->out) !=
                   0
               ? CS_OK
               : CS_BAD_KEY;
}

/* clang-format off */
#define FFDH_ROW(ALGORITHM, GROUP)                                                                                     \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "Hacl_FFDHE_ffdhe_shared_secret_precomp", .setup = setup_ffdh, .call = call_ffdh, .rekey = cs_key_in_call, .teardown = teardown_ffdh, .param = &(const uint8_t){GROUP}}

static const cs_op rows[] = {
    FFDH_ROW("dh-2048", Spec_FFDHE_FFDHE2048),
    FFDH_ROW("dh-3072", Spec_FFDHE_FFDHE3072),
};
const cs_table hacl_ffdh = CS_TABLE(rows);
/* clang-format on */
