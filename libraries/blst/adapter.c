/* SPDX-License-Identifier: Apache-2.0
 *
 * blst: https://github.com/supranational/blst
 *
 * Entry point: blst_sha256, of blst_aux.h, which blst.h includes.
 */
#include <blst.h>

#include "cipherstone.h"

enum { SHA256 = 32 };

/* The library does not say which version it is. */
static const char *library_version(void)
{
    return CS_PACKAGE_VERSION;
}

static int setup_sha256(cs_case *c)
{
    c->out_len = SHA256;
    return CS_OK;
}

static int call_sha256(cs_case *c)
{
    blst_sha256(c->out, c->msg.data, c->msg.len);
    return CS_OK;
}

static const cs_op ops[] = {
    {.id = "sha-256/hash", .impl = "default", .name = "blst_sha256", .setup = setup_sha256, .call = call_sha256},
};

static const cs_library library = {
    .abi = CS_ABI,
    .id = "blst",
    .version = library_version,
    .version_from = "package",
    .cpu_path = NULL,
    .open = NULL,
    .tables = CS_ROWS(ops),
};

CS_WORKER_MAIN(library)
