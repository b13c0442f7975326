/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 out of a library that the test has just built. What it says of the CPU is what it got of an environment.
 */
#include "cipherstone.h"

#include <cstoy.h>
#include <stdlib.h>

static int setup(cs_case *c)
{
    c->out_len = 32;
    return CS_OK;
}

static int call(cs_case *c)
{
    cstoy_hash(c->msg.data, c->msg.len, c->out);
    return CS_OK;
}

static const cs_op ops[] = {
    {.id = "sha-256/hash", .impl = "default", .name = "cstoy_hash", .setup = setup, .call = call}};

static const char *environment(void)
{
    return getenv("CSTOY_MARK");
}

static const cs_library sharedlib = {.abi = CS_ABI,
                                     .id = "sharedlib",
                                     .version = cstoy_version,
                                     .version_from = "library",
                                     .cpu_path = environment,
                                     .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(sharedlib)
