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

static int setup_oneshot(cs_case *c)
{
    const size_t *bytes = c->op->param;

    c->out_len = *bytes;
    return CS_OK;
}

static int call_oneshot_md5(cs_case *c)
{
    return from_mbedtls(mbedtls_md5(c->msg.data, c->msg.len, c->out));
}

static int call_oneshot_sha1(cs_case *c)
{
    return from_mbedtls(mbedtls_sha1(c->msg.data, c->msg.len, c->out));
}

static int call_oneshot_sha256(cs_case *c)
{
    return from_mbedtls(mbedtls_sha256(c->msg.data, c->msg.len, c->out, 0));
}

static int call_oneshot_sha512(cs_case *c)
{
    return from_mbedtls(mbedtls_sha512(c->msg.data, c->msg.len, c->out, 0));
}

static int call_oneshot_sha224(cs_case *c)
{
    return from_mbedtls(mbedtls_sha256(c->msg.data, c->msg.len, c->out, 1));
}

static int call_oneshot_sha384(cs_case *c)
{
    return from_mbedtls(mbedtls_sha512(c->msg.data, c->msg.len, c->out, 1));
}

#if MBEDTLS_VERSION_NUMBER >= 0x03050000
static int call_oneshot_sha3(cs_case *c)
{
    return from_mbedtls(mbedtls_sha3(MBEDTLS_SHA3_256, c->msg.data, c->msg.len, c->out, c->out_len));
}

static int call_oneshot_sha3_384(cs_case *c)
{
    return from_mbedtls(mbedtls_sha3(MBEDTLS_SHA3_384, c->msg.data, c->msg.len, c->out, c->out_len));
}

static int call_oneshot_sha3_512(cs_case *c)
{
    return from_mbedtls(mbedtls_sha3(MBEDTLS_SHA3_512, c->msg.data, c->msg.len, c->out, c->out_len));
}
#endif

/* `param` is how many bytes a hash gives. */
#define ONESHOT_NAMED(ALGORITHM, FUNCTION, NAME, BYTES)                                                                \
    {                                                                                                                  \
        .id = ALGORITHM "/hash", .impl = "oneshot", .name = NAME, .setup = setup_oneshot,                              \
        .call = call_oneshot_##FUNCTION, .param = &(const size_t)                                                      \
        {                                                                                                              \
            BYTES                                                                                                      \
        }                                                                                                              \
    }
#define ONESHOT_ROW(ALGORITHM, FUNCTION, BYTES) ONESHOT_NAMED(ALGORITHM, FUNCTION, "mbedtls_" #FUNCTION, BYTES)

static const cs_op rows[] = {
    ONESHOT_ROW("md5", md5, 16),
    ONESHOT_ROW("sha-1", sha1, 20),
    ONESHOT_ROW("sha-256", sha256, 32),
    ONESHOT_NAMED("sha-224", sha224, "mbedtls_sha256, is224", 28),
    ONESHOT_NAMED("sha-384", sha384, "mbedtls_sha512, is384", 48),
    ONESHOT_ROW("sha-512", sha512, 64),
#if MBEDTLS_VERSION_NUMBER >= 0x03050000
    ONESHOT_ROW("sha3-256", sha3, 32),
    ONESHOT_NAMED("sha3-384", sha3_384, "mbedtls_sha3", 48),
    ONESHOT_NAMED("sha3-512", sha3_512, "mbedtls_sha3", 64),
#endif
};
const cs_table mbedtls_oneshot = CS_TABLE(rows);
