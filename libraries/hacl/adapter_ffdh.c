/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: key agreement in finite fields, in the library's own groups.
 *
 * Entry points: Hacl_FFDHE_new_ffdhe_precomp_p, Hacl_FFDHE_ffdhe_shared_secret_precomp.
 */
#include <stdlib.h>

#include <Hacl_FFDHE.h>

#include "adapter_ffdh.h"

static Spec_FFDHE_ffdhe_alg group_of(const cs_case *c)
{
    return *(const uint8_t *)c->op->param;
}

/* What depends on the group alone is kept. */
int setup_ffdh(cs_case *c)
{
    c->out_len = c->pub.len;
    c->state = Hacl_FFDHE_new_ffdhe_precomp_p(group_of(c));
    return c->state != NULL ? CS_OK : cs_fail("Hacl_FFDHE_new_ffdhe_precomp_p");
}

void teardown_ffdh(cs_case *c)
{
    free(c->state);
    c->state = NULL;
}

/* It walks through as many bits as the modulus has, whatever the exponent's length, and checks the public value in
 * every call. */
int call_ffdh(cs_case *c)
{
    return Hacl_FFDHE_ffdhe_shared_secret_precomp(group_of(c), c->state, bytes_of(c->key), bytes_of(c->pub), c->out) !=
                   0
               ? CS_OK
               : CS_BAD_KEY;
}
