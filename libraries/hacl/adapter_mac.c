/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL* adapter: HMAC with SHA-1, SHA-384 and SHA-512. There is no keyed state, the key comes with each message.
 *
 * Entry points: EverCrypt_HMAC_compute; Hacl_HMAC_legacy_compute_sha1, Hacl_HMAC_compute_sha2_384 and its like.
 */
#include "adapter.h"

#include <EverCrypt_HMAC.h>
#include <Hacl_HMAC.h>

/* EverCrypt's number of a hash, its digest in bytes, and the function that is for it alone. */
struct hmac {
    uint8_t algorithm;
    size_t digest;
    void (*compute)(uint8_t *tag, uint8_t *key, uint32_t key_len, uint8_t *data, uint32_t data_len);
};

static const struct hmac hmac_sha1 = {Spec_Hash_Definitions_SHA1, 20, Hacl_HMAC_legacy_compute_sha1};
static const struct hmac hmac_sha384 = {Spec_Hash_Definitions_SHA2_384, 48, Hacl_HMAC_compute_sha2_384};
static const struct hmac hmac_sha512 = {Spec_Hash_Definitions_SHA2_512, 64, Hacl_HMAC_compute_sha2_512};

static int setup_hmac_of(cs_case *c)
{
    const struct hmac *hmac = c->op->param;

    c->out_len = hmac->digest;
    return CS_OK;
}

static int call_hmac_of(cs_case *c)
{
    const struct hmac *hmac = c->op->param;

    EverCrypt_HMAC_compute(hmac->algorithm, c->out, bytes_of(c->key), (uint32_t)c->key.len, bytes_of(c->msg),
                           (uint32_t)c->msg.len);
    return CS_OK;
}

static int call_hmac_of_plain(cs_case *c)
{
    const struct hmac *hmac = c->op->param;

    hmac->compute(c->out, bytes_of(c->key), (uint32_t)c->key.len, bytes_of(c->msg), (uint32_t)c->msg.len);
    return CS_OK;
}

/* clang-format off */
#define HMAC(ID, HASH, FUNCTION) \
    {.id = ID "/mac", .impl = "default", .name = "EverCrypt_HMAC_compute", .setup = setup_hmac_of, .call = call_hmac_of, .rekey = cs_key_in_call, .param = &(HASH)}, \
    {.id = ID "/mac", .impl = "HMAC", .name = FUNCTION, .setup = setup_hmac_of, .call = call_hmac_of_plain, .rekey = cs_key_in_call, .param = &(HASH)}

static const cs_op rows[] = {
    HMAC("hmac-sha-1", hmac_sha1, "Hacl_HMAC_legacy_compute_sha1"),
    HMAC("hmac-sha-384", hmac_sha384, "Hacl_HMAC_compute_sha2_384"),
    HMAC("hmac-sha-512", hmac_sha512, "Hacl_HMAC_compute_sha2_512"),
};
const cs_table hacl_mac = CS_TABLE(rows);
/* clang-format on */
