/* SPDX-License-Identifier: Apache-2.0
 *
 * The thinnest adapter there is: one function of the library that a test has built.
 */
#include "cipherstone.h"

#include <ownhash.h>

static int setup(cs_case *c)
{
    c->out_len = 32;
    return CS_OK;
}

static int call(cs_case *c)
{
    ownhash_sha256(c->out, c->msg.data, c->msg.len);
    return CS_OK;
}

static const cs_op ops[] = {{.id = "sha-256/hash", .impl = "default", .name = "ownhash", .setup = setup, .call = call}};

static const cs_library ownhash = {
    .abi = CS_ABI, .id = "ownhash", .version = ownhash_version, .version_from = "library", .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(ownhash)
