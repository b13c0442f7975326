/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL* adapter: HMAC with SHA-1, SHA-384 and SHA-512. There is no keyed state, the key comes with each message.
 *
 * Entry points: EverCrypt_HMAC_compute; Hacl_HMAC_legacy_compute_sha1, Hacl_HMAC_compute_sha2_384 and its like.
 */
#include "adapter_mac.h"

#include <EverCrypt_HMAC.h>
#include <Hacl_HMAC.h>

const struct hmac hmac_sha1 = {Spec_Hash_Definitions_SHA1, 20, Hacl_HMAC_legacy_compute_sha1};
const struct hmac hmac_sha384 = {Spec_Hash_Definitions_SHA2_384, 48, Hacl_HMAC_compute_sha2_384};
const struct hmac hmac_sha512 = {Spec_Hash_Definitions_SHA2_512, 64, Hacl_HMAC_compute_sha2_512};

int setup_hmac_of(cs_case *c)
{
    const struct hmac *hmac = c->op->param;

    c->out_len = hmac->digest;
    return CS_OK;
}

int call_hmac_of(cs_case *c)
{
    const struct hmac *hmac = c->op->param;

    EverCrypt_HMAC_compute(hmac->algorithm, c->out, bytes_of(c->key), (uint32_t)c->key.len, bytes_of(c->msg),
                           (uint32_t)c->msg.len);
    return CS_OK;
}

int call_hmac_of_plain(cs_case *c)
{
    const struct hmac *hmac = c->op->param;

    hmac->compute(c->out, bytes_of(c->key), (uint32_t)c->key.len, bytes_of(c->msg), (uint32_t)c->msg.len);
    return CS_OK;
}
