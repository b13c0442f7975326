/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle's SHA-256 made PERCENT slower, 1 or 3: the adapter's own setup and call, and after each call some compressions
 * more on a context of its own. SHA-256 of 16 KiB is 257 compressions; 8, 8, 7, 8, 8, 7, 8 in turn are 3.00 % of them,
 * 3, 2, 3, 2, 3, 2, 3 in turn 1.00 %.
 */
#include "cipherstone.h"

#undef CS_WORKER_MAIN
#define CS_WORKER_MAIN(library)
#include "adapter.c"

#if PERCENT == 1
#define EXTRA {3, 2, 3, 2, 3, 2, 3}
#define ID "nettle-plus1"
#elif PERCENT == 3
#define EXTRA {8, 8, 7, 8, 8, 7, 8}
#define ID "nettle-plus3"
#endif

static struct sha256_ctx more;
static size_t turn;

static int slower_setup(cs_case *c)
{
    sha256_init(&more);
    turn = 0;
    return hash_setup(c);
}

static int slower_call(cs_case *c)
{
    static const size_t extra[] = EXTRA;
    int status = hash_call(c);
    size_t bytes = extra[turn] * SHA256_BLOCK_SIZE;

    turn = turn + 1 < CS_COUNT(extra) ? turn + 1 : 0;
    if (bytes <= c->msg.len)
        sha256_update(&more, bytes, c->msg.data);
    return status;
}

static const cs_op slower_ops[] = {
    {.id = "sha-256/hash",
     .impl = "default",
     .name = "nettle_sha256 and more",
     .setup = slower_setup,
     .call = slower_call,
     .teardown = cs_teardown_state,
     .param = &nettle_sha256},
};

int main(int argc, char **argv)
{
    cs_library slower = library;

    slower.id = ID;
    slower.tables = CS_ROWS(slower_ops);
    return cs_worker_main(&slower, argc, argv);
}
