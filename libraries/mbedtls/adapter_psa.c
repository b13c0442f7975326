/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS through PSA (psa/crypto.h): a key is imported in setup and named by its number in every call.
 */
#include <stdio.h>
#include <string.h>

#include "adapter_psa.h"

struct psa_state {
    psa_key_id_t key;
    uint8_t *sealed; /* of `open` only: ciphertext and tag, as PSA takes them */
};

static int from_psa(psa_status_t status, const char *function)
{
    char text[80];

    if (status == PSA_SUCCESS)
        return CS_OK;
    (void)snprintf(text, sizeof text, "%s returned %ld", function, (long)status);
    return cs_fail(text);
}

const char *psa_open(void)
{
    return psa_crypto_init() == PSA_SUCCESS ? NULL : "psa_crypto_init fails: this build of Mbed TLS has no PSA core";
}

const char *psa_unavailable(const cs_op *op)
{
    (void)op;
    return psa_open();
}

/* ---- hash ---- */

int setup_psa_hash(cs_case *c)
{
    const struct psa_use *use = c->op->param;

    c->out_len = PSA_HASH_LENGTH(use->algorithm);
    return CS_OK;
}

int call_psa_hash(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    size_t len;

    return from_psa(psa_hash_compute(use->algorithm, c->msg.data, c->msg.len, c->out, c->out_cap, &len),
                    "psa_hash_compute");
}

/* ---- keys ---- */

void teardown_psa(cs_case *c)
{
    struct psa_state *s = c->state;

    (void)psa_destroy_key(s->key);
    cs_free(s->sealed);
    cs_free(s);
    c->state = NULL;
}

static int import(cs_case *c, cs_span bytes)
{
    const struct psa_use *use = c->op->param;
    psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
    struct psa_state *s = cs_alloc(sizeof *s);
    psa_status_t status;

    if (s == NULL)
        return CS_ERROR;
    psa_set_key_type(&attributes, use->type);
    psa_set_key_algorithm(&attributes, use->algorithm);
    psa_set_key_usage_flags(&attributes, use->usage);
    status = psa_import_key(&attributes, bytes.data, bytes.len, &s->key);
    if (status == PSA_SUCCESS) {
        c->state = s;
        return CS_OK;
    }
    cs_free(s);
    return from_psa(status, "psa_import_key");
}

int setup_psa(cs_case *c)
{
    return import(c, c->key);
}

int setup_psa_public(cs_case *c)
{
    return import(c, c->pub);
}

int setup_psa_open(cs_case *c)
{
    struct psa_state *s;

    if (import(c, c->key) != CS_OK)
        return CS_ERROR;
    s = c->state;
    s->sealed = cs_alloc(c->msg.len + c->tag.len);
    if (s->sealed == NULL) {
        teardown_psa(c);
        return CS_ERROR;
    }
    memcpy(s->sealed, c->msg.data, c->msg.len);
    memcpy(s->sealed + c->msg.len, c->tag.data, c->tag.len);
    return CS_OK;
}

/* ---- symmetric operations ---- */

int call_psa_mac(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;

    return from_psa(psa_mac_compute(s->key, use->algorithm, c->msg.data, c->msg.len, c->out, c->out_cap, &c->out_len),
                    "psa_mac_compute");
}

/* The one-shot function draws the IV itself and writes it in front; who has one goes by this way. */
static int run_cipher(cs_case *c, psa_cipher_operation_t *operation, psa_status_t status)
{
    size_t part = 0;
    size_t rest = 0;

    if (status == PSA_SUCCESS)
        status = psa_cipher_set_iv(operation, c->iv.data, c->iv.len);
    if (status == PSA_SUCCESS)
        status = psa_cipher_update(operation, c->msg.data, c->msg.len, c->out, c->out_cap, &part);
    if (status == PSA_SUCCESS)
        status = psa_cipher_finish(operation, c->out + part, c->out_cap - part, &rest);
    c->out_len = part + rest;
    if (status == PSA_SUCCESS)
        return CS_OK;
    (void)psa_cipher_abort(operation);
    return from_psa(status, "psa_cipher");
}

int call_psa_encrypt(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;
    psa_cipher_operation_t operation = PSA_CIPHER_OPERATION_INIT;

    return run_cipher(c, &operation, psa_cipher_encrypt_setup(&operation, s->key, use->algorithm));
}

int call_psa_decrypt(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;
    psa_cipher_operation_t operation = PSA_CIPHER_OPERATION_INIT;

    return run_cipher(c, &operation, psa_cipher_decrypt_setup(&operation, s->key, use->algorithm));
}

int call_psa_seal(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;

    return from_psa(psa_aead_encrypt(s->key, use->algorithm, c->iv.data, c->iv.len, c->aad.data, c->aad.len,
                                     c->msg.data, c->msg.len, c->out, c->out_cap, &c->out_len),
                    "psa_aead_encrypt");
}

/* What is shorter than a tag is an invalid argument to PSA; no tag of another length than the algorithm's can be valid.
 */
int call_psa_open(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;
    psa_status_t status;

    status = psa_aead_decrypt(s->key, use->algorithm, c->iv.data, c->iv.len, c->aad.data, c->aad.len, s->sealed,
                              c->msg.len + c->tag.len, c->out, c->out_cap, &c->out_len);
    return status == PSA_ERROR_INVALID_SIGNATURE ? CS_REJECTED : from_psa(status, "psa_aead_decrypt");
}

/* ---- public keys ---- */

/* The peer's key is read in every call; points of small order are refused. */
int call_psa_derive(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;
    psa_status_t status =
        psa_raw_key_agreement(use->algorithm, s->key, c->pub.data, c->pub.len, c->out, c->out_cap, &c->out_len);

    return status == PSA_ERROR_INVALID_ARGUMENT ? CS_REJECTED : from_psa(status, "psa_raw_key_agreement");
}

/* Of these curves it is the key that is refused. */
int call_psa_ecdh(cs_case *c)
{
    int status = call_psa_derive(c);

    return status == CS_REJECTED ? CS_BAD_KEY : status;
}

int call_psa_sign(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;

    return from_psa(psa_sign_message(s->key, use->algorithm, c->msg.data, c->msg.len, c->out, c->out_cap, &c->out_len),
                    "psa_sign_message");
}

int call_psa_verify(cs_case *c)
{
    const struct psa_use *use = c->op->param;
    const struct psa_state *s = c->state;
    psa_status_t status = psa_verify_message(s->key, use->algorithm, c->msg.data, c->msg.len, c->sig.data, c->sig.len);

    return status == PSA_ERROR_INVALID_SIGNATURE ? CS_REJECTED : from_psa(status, "psa_verify_message");
}
