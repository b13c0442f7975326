/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: random bytes.
 *
 * Entry points: RAND_bytes, RAND_priv_bytes.
 */
#include "adapter_random.h"

#include <openssl/rand.h>

int fetch_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

const char *fetch_seed(void)
{
    return RAND_get0_public(NULL) != NULL ? NULL : "RAND_get0_public fails: no seed";
}

const char *fetch_private_seed(void)
{
    return RAND_get0_private(NULL) != NULL ? NULL : "RAND_get0_private fails: no seed";
}

int fetch_call(cs_case *c)
{
    return RAND_bytes(c->out, (int)c->out_len) == 1 ? CS_OK : session_fail("RAND_bytes");
}

int fetch_private_call(cs_case *c)
{
    return RAND_priv_bytes(c->out, (int)c->out_len) == 1 ? CS_OK : session_fail("RAND_priv_bytes");
}
