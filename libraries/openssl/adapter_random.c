/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: random bytes.
 *
 * Entry points: RAND_bytes, RAND_priv_bytes.
 */
#include <openssl/rand.h>

#include "session.h"

/* Once a process: the generator of the row is made and seeds itself. */
static const char *fetch_seed(void)
{
    return RAND_get0_public(NULL) != NULL ? NULL : "RAND_get0_public fails: no seed";
}

static const char *fetch_private_seed(void)
{
    return RAND_get0_private(NULL) != NULL ? NULL : "RAND_get0_private fails: no seed";
}

static int fetch_call(cs_case *c)
{
    return RAND_bytes(c->out, (int)c->out_len) == 1 ? CS_OK : session_fail("RAND_bytes");
}

static int fetch_private_call(cs_case *c)
{
    return RAND_priv_bytes(c->out, (int)c->out_len) == 1 ? CS_OK : session_fail("RAND_priv_bytes");
}

static const cs_op rows[] = {
    {.id = "random/fetch",
     .impl = "default",
     .name = "RAND_bytes",
     .setup = cs_setup_msg_length,
     .call = fetch_call,
     .open = evp_open,
     .seed = fetch_seed},
    {.id = "random/fetch",
     .impl = "RAND_priv_bytes",
     .name = "RAND_priv_bytes",
     .setup = cs_setup_msg_length,
     .call = fetch_private_call,
     .open = evp_open,
     .seed = fetch_private_seed},
};
const cs_table openssl_random = CS_TABLE(rows);
