/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS adapter: hashes.
 *
 * Entry points: gnutls_hash, gnutls_hash_output, gnutls_hash_fast, gnutls_hash_squeeze.
 */
#include "adapter.h"

/* A number in the header is no promise: 3.7 has none for RIPEMD-160. */
const char *hash_unavailable(const struct cs_op *op)
{
    const gnutls_digest_algorithm_t *hash = op->param;
    gnutls_hash_hd_t handle;

    if (gnutls_hash_init(&handle, *hash) < 0)
        return "gnutls_hash_init refuses it: this version has the number of the hash only";
    gnutls_hash_deinit(handle, NULL);
    return NULL;
}

int hash_setup(cs_case *c)
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

void hash_teardown(cs_case *c)
{
    gnutls_hash_deinit(c->state, NULL);
    c->state = NULL;
}

/* Taking the digest sets the handle back to its start. */
int hash_call(cs_case *c)
{
    int status = gnutls_hash(c->state, c->msg.data, c->msg.len);

    gnutls_hash_output(c->state, c->out);
    return done(status);
}

int oneshot_hash_setup(cs_case *c)
{
    const gnutls_digest_algorithm_t *hash = c->op->param;

    c->out_len = gnutls_hash_get_len(*hash);
    return CS_OK;
}

int oneshot_hash_call(cs_case *c)
{
    const gnutls_digest_algorithm_t *hash = c->op->param;

    return done(gnutls_hash_fast(*hash, c->msg.data, c->msg.len, c->out));
}

#if GNUTLS_VERSION_NUMBER >= 0x030806
int shake_setup(cs_case *c)
{
    const struct shake *shake = c->op->param;

    c->out_len = shake->bytes;
    return CS_OK;
}

/* A handle that was squeezed takes no other message. */
int shake_call(cs_case *c)
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
