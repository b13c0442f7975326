/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt adapter: random bytes.
 *
 * Entry points: prng_descriptor[].read of Yarrow, fortuna_read, sprng_read.
 */
#include "adapter_random.h"

int fetch_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

static int whole(unsigned long got, const cs_case *c)
{
    return got == c->out_len ? CS_OK : cs_fail("the generator gives fewer bytes");
}

int fetch_call(cs_case *c)
{
    return whole(prng_descriptor[random_prng].read(c->out, c->out_len, &random_state), c);
}

static prng_state fortuna;

const char *fortuna_seed(void)
{
    const int number = register_prng(&fortuna_desc);

    if (number < 0)
        return "register_prng fails";
    return rng_make_prng(128, number, &fortuna, NULL) == CRYPT_OK ? NULL : "rng_make_prng fails: no seed";
}

int fetch_fortuna_call(cs_case *c)
{
    return whole(fortuna_read(c->out, c->out_len, &fortuna), c);
}

/* The system's generator behind the interface of the others; it has no state. */
int fetch_system_call(cs_case *c)
{
    return whole(sprng_read(c->out, c->out_len, NULL), c);
}
