/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt adapter: random bytes.
 *
 * Entry points: prng_descriptor[].read of Yarrow, fortuna_read, sprng_read.
 */
#include "adapter.h"

static int whole(unsigned long got, const cs_case *c)
{
    return got == c->out_len ? CS_OK : cs_fail("the generator gives fewer bytes");
}

static int fetch_call(cs_case *c)
{
    return whole(prng_descriptor[random_prng].read(c->out, c->out_len, &random_state), c);
}

static prng_state fortuna;

static const char *fortuna_seed(void)
{
    const int number = register_prng(&fortuna_desc);

    if (number < 0)
        return "register_prng fails";
    return rng_make_prng(128, number, &fortuna, NULL) == CRYPT_OK ? NULL : "rng_make_prng fails: no seed";
}

static int fetch_fortuna_call(cs_case *c)
{
    return whole(fortuna_read(c->out, c->out_len, &fortuna), c);
}

/* The system's generator behind the interface of the others; it has no state. */
static int fetch_system_call(cs_case *c)
{
    return whole(sprng_read(c->out, c->out_len, NULL), c);
}

/* ---- rows ---- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "random/fetch", .impl = "default", .name = "yarrow_read", .setup = cs_setup_msg_length, .call = fetch_call, .seed = seed_random, .counts_random = 1},
    {.id = "random/fetch", .impl = "fortuna", .name = "fortuna_read", .setup = cs_setup_msg_length, .call = fetch_fortuna_call, .seed = fortuna_seed},
    {.id = "random/fetch", .impl = "sprng", .name = "sprng_read", .setup = cs_setup_msg_length, .call = fetch_system_call},
};
/* clang-format on */

const cs_table libtomcrypt_random = CS_TABLE(rows);
