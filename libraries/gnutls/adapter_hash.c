/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS adapter: hashes.
 *
 * Entry points: gnutls_hash, gnutls_hash_output, gnutls_hash_fast, gnutls_hash_squeeze.
 */
#include "adapter.h"

/* A number in the header is no promise: 3.7 has none for RIPEMD-160. */
static const char *hash_unavailable(const struct cs_op *op)
{
    const gnutls_digest_algorithm_t *hash = op->param;
    gnutls_hash_hd_t handle;

    if (gnutls_hash_init(&handle, *hash) < 0)
        return "gnutls_hash_init refuses it: this version has the number of the hash only";
    gnutls_hash_deinit(handle, NULL);
    return NULL;
}

static int hash_setup(cs_case *c)
{
    const gnutls_digest_algorithm_t *hash = c->op->param;
    gnutls_hash_hd_t handle;
    int status = gnutls_hash_init(&handle, *hash);

    if (status < 0)
        return done(status);
    c->state = handle;
    c->out_len = gnutls_hash_get_len(*hash);
    return CS_OK;
}

static void hash_teardown(cs_case *c)
{
    gnutls_hash_deinit(c->state, NULL);
    c->state = NULL;
}

/* Taking the digest sets the handle back to its start. */
static int hash_call(cs_case *c)
{
    int status = gnutls_hash(c->state, c->msg.data, c->msg.len);

    gnutls_hash_output(c->state, c->out);
    return done(status);
}

static int oneshot_hash_setup(cs_case *c)
{
    const gnutls_digest_algorithm_t *hash = c->op->param;

    c->out_len = gnutls_hash_get_len(*hash);
    return CS_OK;
}

static int oneshot_hash_call(cs_case *c)
{
    const gnutls_digest_algorithm_t *hash = c->op->param;

    return done(gnutls_hash_fast(*hash, c->msg.data, c->msg.len, c->out));
}

#if GNUTLS_VERSION_NUMBER >= 0x030806
struct shake {
    gnutls_digest_algorithm_t algorithm;
    size_t bytes;
};

static int shake_setup(cs_case *c)
{
    const struct shake *shake = c->op->param;

    c->out_len = shake->bytes;
    return CS_OK;
}

/* A handle that was squeezed takes no other message. */
static int shake_call(cs_case *c)
{
    const struct shake *shake = c->op->param;
    gnutls_hash_hd_t handle;
    int status = gnutls_hash_init(&handle, shake->algorithm);

    if (status < 0)
        return done(status);
    status = gnutls_hash(handle, c->msg.data, c->msg.len);
    if (status >= 0)
        status = gnutls_hash_squeeze(handle, c->out, shake->bytes);
    gnutls_hash_deinit(handle, NULL);
    return done(status);
}
#endif

static const gnutls_digest_algorithm_t sha224 = GNUTLS_DIG_SHA224, sha384 = GNUTLS_DIG_SHA384,
                                       sha3_384 = GNUTLS_DIG_SHA3_384, sha3_512 = GNUTLS_DIG_SHA3_512;
static const gnutls_digest_algorithm_t md5 = GNUTLS_DIG_MD5, sha1 = GNUTLS_DIG_SHA1, sha256 = GNUTLS_DIG_SHA256,
                                       sha512 = GNUTLS_DIG_SHA512, sha3_256 = GNUTLS_DIG_SHA3_256;
static const gnutls_digest_algorithm_t rmd160 = GNUTLS_DIG_RMD160;

/* `param` is the algorithm, of a function of extendable output a struct shake. */
#define HASH(ID, NAME, PARAM)                                                                                          \
    {.id = ID "/hash",                                                                                                 \
     .impl = "default",                                                                                                \
     .name = "gnutls_hash " NAME,                                                                                      \
     .setup = hash_setup,                                                                                              \
     .call = hash_call,                                                                                                \
     .teardown = hash_teardown,                                                                                        \
     .param = &(PARAM)},                                                                                               \
    {                                                                                                                  \
        .id = ID "/hash", .impl = "oneshot", .name = "gnutls_hash_fast " NAME, .setup = oneshot_hash_setup,            \
        .call = oneshot_hash_call, .param = &(PARAM)                                                                   \
    }
#define SHAKE(ID, NAME, ALGORITHM, BYTES)                                                                              \
    {                                                                                                                  \
        .id = ID "/hash", .impl = "default", .name = "gnutls_hash_squeeze " NAME, .setup = shake_setup,                \
        .call = shake_call, .param = &(const struct shake)                                                             \
        {                                                                                                              \
            ALGORITHM, BYTES                                                                                           \
        }                                                                                                              \
    }

static const cs_op rows[] = {
    HASH("md5", "MD5", md5),
    HASH("sha-1", "SHA1", sha1),
    HASH("sha-256", "SHA256", sha256),
    HASH("sha-512", "SHA512", sha512),
    HASH("sha3-256", "SHA3_256", sha3_256),
    HASH("sha-224", "SHA224", sha224),
    HASH("sha-384", "SHA384", sha384),
    HASH("sha3-384", "SHA3_384", sha3_384),
    HASH("sha3-512", "SHA3_512", sha3_512),
#if GNUTLS_VERSION_NUMBER >= 0x030806
    SHAKE("shake128", "SHAKE_128", GNUTLS_DIG_SHAKE_128, 32),
    SHAKE("shake256", "SHAKE_256", GNUTLS_DIG_SHAKE_256, 64),
#endif
    {.id = "ripemd-160/hash",
     .impl = "default",
     .name = "gnutls_hash RMD160",
     .setup = hash_setup,
     .call = hash_call,
     .teardown = hash_teardown,
     .param = &rmd160,
     .unavailable = hash_unavailable},
};
const cs_table gnutls_hashes = CS_TABLE(rows);
