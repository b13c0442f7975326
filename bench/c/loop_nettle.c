/* SPDX-License-Identifier: Apache-2.0
 *
 * A hand-written loop around Nettle: the same calls on the same input as libraries/nettle, without the SDK.
 */
#include "loop.h"

#include <nettle/nettle-meta.h>
#include <nettle/sha2.h>

int main(int argc, char **argv)
{
    struct inputs in = place(argc, argv);
    const struct nettle_hash *hash = &nettle_sha256;
    struct sha256_ctx ctx;

    if (strcmp(argv[1], "sha-256/hash") != 0)
        die("no such operation");
    hash->init(&ctx);
    SERVE((hash->update(&ctx, in.msg.len, in.msg.data), hash->digest(&ctx, hash->digest_size, in.out), 1), in.out, 32);
    return 0;
}
