/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: hashes in one call, without a context of the caller's.
 */
#include <mbedtls/version.h>

#include <mbedtls/md5.h>
#include <mbedtls/sha1.h>
#include <mbedtls/sha256.h>
#if MBEDTLS_VERSION_NUMBER >= 0x03050000
#include <mbedtls/sha3.h>
#endif
#include <mbedtls/sha512.h>

#include "adapter.h"

/* Before 3.0 these names belonged to functions that returned nothing. */
#if MBEDTLS_VERSION_MAJOR < 3
#define mbedtls_md5 mbedtls_md5_ret
#define mbedtls_sha1 mbedtls_sha1_ret
#define mbedtls_sha256 mbedtls_sha256_ret
#define mbedtls_sha512 mbedtls_sha512_ret
#endif

int setup_oneshot(cs_case *c)
{
    const size_t *bytes = c->op->param;

    c->out_len = *bytes;
    return CS_OK;
}

int call_oneshot_md5(cs_case *c)
{
    return from_mbedtls(mbedtls_md5(c->msg.data, c->msg.len, c->out));
}

int call_oneshot_sha1(cs_case *c)
{
    return from_mbedtls(mbedtls_sha1(c->msg.data, c->msg.len, c->out));
}

int call_oneshot_sha256(cs_case *c)
{
    return from_mbedtls(mbedtls_sha256(c->msg.data, c->msg.len, c->out, 0));
}

int call_oneshot_sha512(cs_case *c)
{
    return from_mbedtls(mbedtls_sha512(c->msg.data, c->msg.len, c->out, 0));
}

int call_oneshot_sha224(cs_case *c)
{
    return from_mbedtls(mbedtls_sha256(c->msg.data, c->msg.len, c->out, 1));
}

int call_oneshot_sha384(cs_case *c)
{
    return from_mbedtls(mbedtls_sha512(c->msg.data, c->msg.len, c->out, 1));
}

#if MBEDTLS_VERSION_NUMBER >= 0x03050000
int call_oneshot_sha3(cs_case *c)
{
    return from_mbedtls(mbedtls_sha3(MBEDTLS_SHA3_256, c->msg.data, c->msg.len, c->out, c->out_len));
}

int call_oneshot_sha3_384(cs_case *c)
{
    return from_mbedtls(mbedtls_sha3(MBEDTLS_SHA3_384, c->msg.data, c->msg.len, c->out, c->out_len));
}

int call_oneshot_sha3_512(cs_case *c)
{
    return from_mbedtls(mbedtls_sha3(MBEDTLS_SHA3_512, c->msg.data, c->msg.len, c->out, c->out_len));
}
#endif
