/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4) as plainly as the standard writes it: a library small enough to be compiled in several builds by
 * a test. The compression is in core/, in a file of the same name.
 */
#include "cipherstone.h"
#include "core/hash.h"

#include <string.h>

static int setup(cs_case *c)
{
    c->out_len = 32;
    return CS_OK;
}

static int call(cs_case *c)
{
    uint32_t state[8];
    uint8_t last[128] = {0};
    size_t whole = c->msg.len / 64 * 64, rest = c->msg.len - whole, padded = rest < 56 ? 64 : 128;
    uint64_t bits = (uint64_t)c->msg.len * 8;

    hash_start(state);
    for (size_t i = 0; i < whole; i += 64)
        hash_block(state, c->msg.data + i);
    if (rest != 0)
        memcpy(last, c->msg.data + whole, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        last[padded - 1 - i] = (uint8_t)(bits >> (8 * i));
    for (size_t i = 0; i < padded; i += 64)
        hash_block(state, last + i);
    for (size_t i = 0; i < 32; i++)
        c->out[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
    return CS_OK;
}

static const cs_op ops[] = {
    {.id = "sha-256/hash", .impl = "default", .name = BUILD_NAME, .setup = setup, .call = call}};

static const char *version(void)
{
    return CS_PACKAGE_VERSION;
}

static const cs_library twobuilds = {
    .abi = CS_ABI, .id = "twobuilds", .version = version, .version_from = "package", .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(twobuilds)
