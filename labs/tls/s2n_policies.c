/* SPDX-License-Identifier: Apache-2.0
 *
 * s2n-tls: groups, suites and signatures come as policies that have names. A server takes the first of its own policy
 * that the client has too, and in TLS 1.3 the client sends a key share of its own policy's first group. All pairs of
 * policies were tried for what they agree on; these are the ones taken, by version, group and suite.
 */
#include "s2n_policies.h"

#include <string.h>

enum { ANY_KEY = -1 };

typedef struct policy {
    int version, group, cipher, cert, retries;
    const char *client, *server;
} policy;

static const policy policies[] = {
    {TLS_1_3, TLS_X25519, TLS_CIPHER_AES_128_GCM, ANY_KEY, 0, "AWS-CRT-SDK-TLSv1.3", "AWS-CRT-SDK-TLSv1.3"},
    {TLS_1_3, TLS_P256, TLS_CIPHER_AES_128_GCM, ANY_KEY, 0, "20240503", "20240503"},
    {TLS_1_3, TLS_P256, TLS_CIPHER_AES_128_GCM, ANY_KEY, TLS_X25519, "20190801", "20230317"},
    {TLS_1_3, TLS_X25519, TLS_CIPHER_AES_256_GCM, ANY_KEY, 0, "20190801", "20190801"},
    {TLS_1_3, TLS_P256, TLS_CIPHER_AES_256_GCM, ANY_KEY, 0, "20190802", "20190802"},
    {TLS_1_3, TLS_X25519MLKEM768, TLS_CIPHER_AES_128_GCM, ANY_KEY, 0, "20250721", "20250721"},
    {TLS_1_2, TLS_P256, TLS_CIPHER_AES_128_GCM, ANY_KEY, 0, "ELBSecurityPolicy-TLS-1-2-2017-01",
     "ELBSecurityPolicy-TLS-1-2-2017-01"},
    {TLS_1_2, TLS_X25519, TLS_CIPHER_AES_128_GCM, ANY_KEY, 0, "CloudFront-Upstream-TLS-1-2", "20240603"},
    {TLS_1_2, TLS_P256, TLS_CIPHER_AES_256_GCM, ANY_KEY, 0, "CloudFront-Upstream-TLS-1-2",
     "CloudFront-Upstream-TLS-1-2"},
    {TLS_1_2, TLS_X25519, TLS_CIPHER_AES_256_GCM, TLS_CERT_RSA, 0, "CloudFront-Upstream-TLS-1-2",
     "KMS-TLS-1-2-2023-06"},
    {TLS_1_2, TLS_P256, TLS_CIPHER_CHACHA20_POLY1305, TLS_CERT_RSA, 0, "20170210", "20201021"},
};

const char *s2n_policy_of(const tls_wish *wish, int side)
{
    for (size_t i = 0; i < CS_COUNT(policies); i++) {
        const policy *one = &policies[i];

        if (one->version == wish->version && one->group == wish->group && one->cipher == wish->cipher &&
            one->retries == wish->retries && (one->cert == ANY_KEY || one->cert == wish->cert))
            return side == TLS_CLIENT ? one->client : one->server;
    }
    return NULL;
}

int s2n_signature_of(int found, int hash)
{
    if (hash == S2N_TLS_HASH_SHA384)
        return found == S2N_TLS_SIGNATURE_ECDSA ? TLS_ECDSA_P384 : 0;
    switch (hash == S2N_TLS_HASH_SHA256 ? found : S2N_TLS_SIGNATURE_ANONYMOUS) {
    case S2N_TLS_SIGNATURE_ECDSA:
        return TLS_ECDSA_P256;
    case S2N_TLS_SIGNATURE_RSA:
        return TLS_RSA_PKCS1;
    case S2N_TLS_SIGNATURE_RSA_PSS_RSAE:
        return TLS_RSA_PSS;
    default:
        return 0;
    }
}

int s2n_group_of(struct s2n_connection *connection)
{
    const char *name = s2n_connection_get_kem_group_name(connection);

    if (name != NULL && strcmp(name, "NONE") != 0)
        return strcmp(name, "X25519MLKEM768") == 0 ? TLS_X25519MLKEM768 : 0;
    name = s2n_connection_get_curve(connection);
    return name == NULL ? 0 : strcmp(name, "x25519") == 0 ? TLS_X25519 : strcmp(name, "secp256r1") == 0 ? TLS_P256 : 0;
}

/* ---- sessions by their ids ---- */

static int store(struct s2n_connection *connection, void *of, uint64_t seconds, const void *key, uint64_t key_length,
                 const void *value, uint64_t value_length)
{
    s2n_kept *kept = of;

    (void)connection;
    (void)seconds;
    if (key_length > sizeof kept->id || value_length > sizeof kept->state)
        return S2N_FAILURE;
    memcpy(kept->id, key, key_length);
    memcpy(kept->state, value, value_length);
    kept->id_length = key_length;
    kept->state_length = value_length;
    return S2N_SUCCESS;
}

static int retrieve(struct s2n_connection *connection, void *of, const void *key, uint64_t key_length, void *value,
                    uint64_t *value_length)
{
    const s2n_kept *kept = of;

    (void)connection;
    if (key_length != kept->id_length || memcmp(key, kept->id, key_length) != 0 || *value_length < kept->state_length)
        return S2N_FAILURE;
    memcpy(value, kept->state, kept->state_length);
    *value_length = kept->state_length;
    return S2N_SUCCESS;
}

/* What is resumed by stays. */
static int forget(struct s2n_connection *connection, void *of, const void *key, uint64_t key_length)
{
    (void)connection;
    (void)of;
    (void)key;
    (void)key_length;
    return S2N_SUCCESS;
}

int s2n_keep_sessions(struct s2n_config *config, s2n_kept *kept)
{
    return s2n_config_set_cache_store_callback(config, store, kept) == S2N_SUCCESS &&
           s2n_config_set_cache_retrieve_callback(config, retrieve, kept) == S2N_SUCCESS &&
           s2n_config_set_cache_delete_callback(config, forget, kept) == S2N_SUCCESS &&
           s2n_config_set_session_cache_onoff(config, 1) == S2N_SUCCESS;
}
