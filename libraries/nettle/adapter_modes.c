/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle: CCM, XTS, EAX, OCB, GCM-SIV and key wrap. Where there is no function for both lengths of key, the generic one
 * is called with Nettle's description of AES.
 */
#include <string.h>

#include <nettle/aes.h>
#include <nettle/ccm.h>
#include <nettle/eax.h>
#include <nettle/memops.h>
#include <nettle/nettle-meta.h>
#include <nettle/nist-keywrap.h>
#include <nettle/version.h>
#include <nettle/xts.h>

#include "adapter.h"

#define HAS_OCB (NETTLE_VERSION_MAJOR > 3 || NETTLE_VERSION_MINOR >= 9)
#if HAS_OCB
#include <nettle/ocb.h>
#include <nettle/siv-gcm.h>
#endif

enum { TAG = 16 };

static size_t sealed_len(const cs_case *c)
{
    return c->tag.data == NULL ? c->msg.len + TAG : c->msg.len;
}

/* Nettle leaves the comparing to the caller, and memeql_sec is for that. */
static int compared(const cs_case *c, const uint8_t *tag)
{
    return memeql_sec(tag, c->tag.data, TAG) ? CS_OK : CS_REJECTED;
}

/* ---- CCM ---- */

#define CCM(BITS)                                                                                                      \
    static int ccm##BITS##_rekey(cs_case *c)                                                                           \
    {                                                                                                                  \
        ccm_aes##BITS##_set_key(c->state, c->key.data);                                                                \
        return CS_OK;                                                                                                  \
    }                                                                                                                  \
                                                                                                                       \
    static int ccm##BITS##_setup(cs_case *c)                                                                           \
    {                                                                                                                  \
        c->out_len = sealed_len(c);                                                                                    \
        return cs_new_state(c, sizeof(struct ccm_aes##BITS##_ctx)) == NULL ? CS_ERROR : ccm##BITS##_rekey(c);          \
    }                                                                                                                  \
                                                                                                                       \
    static void ccm##BITS##_start(cs_case *c)                                                                          \
    {                                                                                                                  \
        ccm_aes##BITS##_set_nonce(c->state, c->iv.len, c->iv.data, c->aad.len, c->msg.len, TAG);                       \
        ccm_aes##BITS##_update(c->state, c->aad.len, c->aad.data);                                                     \
    }                                                                                                                  \
                                                                                                                       \
    static int ccm##BITS##_seal_call(cs_case *c)                                                                       \
    {                                                                                                                  \
        ccm##BITS##_start(c);                                                                                          \
        ccm_aes##BITS##_encrypt(c->state, c->msg.len, c->out, c->msg.data);                                            \
        ccm_aes##BITS##_digest(c->state, TAG, c->out + c->msg.len);                                                    \
        return CS_OK;                                                                                                  \
    }                                                                                                                  \
                                                                                                                       \
    static int ccm##BITS##_open_call(cs_case *c)                                                                       \
    {                                                                                                                  \
        uint8_t tag[TAG];                                                                                              \
                                                                                                                       \
        ccm##BITS##_start(c);                                                                                          \
        ccm_aes##BITS##_decrypt(c->state, c->msg.len, c->out, c->msg.data);                                            \
        ccm_aes##BITS##_digest(c->state, TAG, tag);                                                                    \
        return compared(c, tag);                                                                                       \
    }

CCM(128)
CCM(256)

/* ---- XTS: one key for both directions, another schedule for each ---- */

#define XTS(BITS)                                                                                                      \
    static int xts##BITS##_rekey(cs_case *c)                                                                           \
    {                                                                                                                  \
        if (strcmp(c->op->id, "aes-" #BITS "-xts/encrypt") == 0)                                                       \
            xts_aes##BITS##_set_encrypt_key(c->state, c->key.data);                                                    \
        else                                                                                                           \
            xts_aes##BITS##_set_decrypt_key(c->state, c->key.data);                                                    \
        return CS_OK;                                                                                                  \
    }                                                                                                                  \
                                                                                                                       \
    static int xts##BITS##_setup(cs_case *c)                                                                           \
    {                                                                                                                  \
        c->out_len = c->msg.len;                                                                                       \
        return cs_new_state(c, sizeof(struct xts_aes##BITS##_key)) == NULL ? CS_ERROR : xts##BITS##_rekey(c);          \
    }                                                                                                                  \
                                                                                                                       \
    static int xts##BITS##_encrypt_call(cs_case *c)                                                                    \
    {                                                                                                                  \
        xts_aes##BITS##_encrypt_message(c->state, c->iv.data, c->msg.len, c->out, c->msg.data);                        \
        return CS_OK;                                                                                                  \
    }                                                                                                                  \
                                                                                                                       \
    static int xts##BITS##_decrypt_call(cs_case *c)                                                                    \
    {                                                                                                                  \
        xts_aes##BITS##_decrypt_message(c->state, c->iv.data, c->msg.len, c->out, c->msg.data);                        \
        return CS_OK;                                                                                                  \
    }

XTS(128)
XTS(256)

/* ---- AES of either length ---- */

struct aes {
    union {
        struct aes128_ctx aes128;
        struct aes256_ctx aes256;
    } key;
    union {
        struct aes128_ctx aes128;
        struct aes256_ctx aes256;
    } decrypt;
    struct eax_key eax_key;
    struct eax_ctx eax;
#if HAS_OCB
    struct ocb_key ocb_key;
    struct ocb_ctx ocb;
    union {
        struct aes128_ctx aes128;
        struct aes256_ctx aes256;
    } of_nonce;
    uint8_t *sealed; /* ciphertext and tag, which the function that opens takes as one */
#endif
};

static struct aes *new_aes(cs_case *c, size_t out_len)
{
    c->out_len = out_len;
    return cs_new_state(c, sizeof(struct aes));
}

/* ---- EAX ---- */

static int eax_rekey(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes *s = c->state;

    aes->set_encrypt_key(&s->key, c->key.data);
    eax_set_key(&s->eax_key, &s->key, aes->encrypt);
    return CS_OK;
}

static int eax_setup(cs_case *c)
{
    return new_aes(c, sealed_len(c)) == NULL ? CS_ERROR : eax_rekey(c);
}

static void eax_start(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes *s = c->state;

    eax_set_nonce(&s->eax, &s->eax_key, &s->key, aes->encrypt, c->iv.len, c->iv.data);
    eax_update(&s->eax, &s->eax_key, &s->key, aes->encrypt, c->aad.len, c->aad.data);
}

static int eax_seal_call(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes *s = c->state;

    eax_start(c);
    eax_encrypt(&s->eax, &s->eax_key, &s->key, aes->encrypt, c->msg.len, c->out, c->msg.data);
    eax_digest(&s->eax, &s->eax_key, &s->key, aes->encrypt, TAG, c->out + c->msg.len);
    return CS_OK;
}

static int eax_open_call(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes *s = c->state;
    uint8_t tag[TAG];

    eax_start(c);
    eax_decrypt(&s->eax, &s->eax_key, &s->key, aes->encrypt, c->msg.len, c->out, c->msg.data);
    eax_digest(&s->eax, &s->eax_key, &s->key, aes->encrypt, TAG, tag);
    return compared(c, tag);
}

/* ---- key wrap ---- */

static const uint8_t check_value[] = {0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6};

static int wrap_rekey(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes *s = c->state;

    aes->set_encrypt_key(&s->key, c->key.data);
    return CS_OK;
}

static int wrap_setup(cs_case *c)
{
    return new_aes(c, c->msg.len + sizeof check_value) == NULL ? CS_ERROR : wrap_rekey(c);
}

static int wrap_call(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes *s = c->state;

    nist_keywrap16(&s->key, aes->encrypt, check_value, c->msg.len + sizeof check_value, c->out, c->msg.data);
    return CS_OK;
}

static int unwrap_rekey(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes *s = c->state;

    aes->set_decrypt_key(&s->key, c->key.data);
    return CS_OK;
}

static int unwrap_setup(cs_case *c)
{
    return new_aes(c, c->msg.len - sizeof check_value) == NULL ? CS_ERROR : unwrap_rekey(c);
}

static int unwrap_call(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes *s = c->state;

    return nist_keyunwrap16(&s->key, aes->decrypt, check_value, c->msg.len - sizeof check_value, c->out, c->msg.data)
               ? CS_OK
               : CS_REJECTED;
}

#if HAS_OCB

/* ---- OCB ---- */

static int ocb_rekey(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes *s = c->state;

    aes->set_encrypt_key(&s->key, c->key.data);
    if (c->tag.data != NULL)
        aes->set_decrypt_key(&s->decrypt, c->key.data);
    ocb_set_key(&s->ocb_key, &s->key, aes->encrypt);
    return CS_OK;
}

static int ocb_setup(cs_case *c)
{
    return new_aes(c, sealed_len(c)) == NULL ? CS_ERROR : ocb_rekey(c);
}

static void ocb_start(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes *s = c->state;

    ocb_set_nonce(&s->ocb, &s->key, aes->encrypt, TAG, c->iv.len, c->iv.data);
    ocb_update(&s->ocb, &s->ocb_key, &s->key, aes->encrypt, c->aad.len, c->aad.data);
}

static int ocb_seal_call(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes *s = c->state;

    ocb_start(c);
    ocb_encrypt(&s->ocb, &s->ocb_key, &s->key, aes->encrypt, c->msg.len, c->out, c->msg.data);
    ocb_digest(&s->ocb, &s->ocb_key, &s->key, aes->encrypt, TAG, c->out + c->msg.len);
    return CS_OK;
}

static int ocb_open_call(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes *s = c->state;
    uint8_t tag[TAG];

    ocb_start(c);
    ocb_decrypt(&s->ocb, &s->ocb_key, &s->key, aes->encrypt, &s->decrypt, aes->decrypt, c->msg.len, c->out,
                c->msg.data);
    ocb_digest(&s->ocb, &s->ocb_key, &s->key, aes->encrypt, TAG, tag);
    return compared(c, tag);
}

/* ---- GCM-SIV ---- */

static int siv_rekey(cs_case *c)
{
    return wrap_rekey(c);
}

static int siv_setup(cs_case *c)
{
    return new_aes(c, c->msg.len + TAG) == NULL ? CS_ERROR : siv_rekey(c);
}

static void siv_teardown(cs_case *c)
{
    struct aes *s = c->state;

    cs_free(s->sealed);
    cs_teardown_state(c);
}

static int siv_seal_call(cs_case *c)
{
    struct aes *s = c->state;

    siv_gcm_encrypt_message(c->op->param, &s->key, &s->of_nonce, c->iv.len, c->iv.data, c->aad.len, c->aad.data,
                            c->msg.len + TAG, c->out, c->msg.data);
    return CS_OK;
}

static int siv_open_rekey(cs_case *c)
{
    struct aes *s = c->state;

    memcpy(s->sealed, c->msg.data, c->msg.len);
    memcpy(s->sealed + c->msg.len, c->tag.data, TAG);
    return siv_rekey(c);
}

static int siv_open_setup(cs_case *c)
{
    struct aes *s = new_aes(c, c->msg.len);

    if (s == NULL)
        return CS_ERROR;
    s->sealed = cs_alloc(c->msg.len + TAG);
    if (s->sealed == NULL) {
        cs_teardown_state(c);
        return CS_ERROR;
    }
    return siv_open_rekey(c);
}

static int siv_open_call(cs_case *c)
{
    struct aes *s = c->state;

    return siv_gcm_decrypt_message(c->op->param, &s->key, &s->of_nonce, c->iv.len, c->iv.data, c->aad.len, c->aad.data,
                                   c->msg.len, c->out, s->sealed)
               ? CS_OK
               : CS_REJECTED;
}

#endif

/* clang-format off */
/* `param` is Nettle's description of the cipher. */
#define MODE_ROW(ID, NAME, SETUP, CALL, REKEY, TEARDOWN, CIPHER, BLOCK)                                                \
    {.id = ID, .impl = "default", .name = NAME, .setup = SETUP, .call = CALL, .rekey = REKEY, .teardown = TEARDOWN, .param = &nettle_##CIPHER, .block = BLOCK}
#define SIZED_ROWS(BITS)                                                                                               \
    MODE_ROW("aes-" #BITS "-ccm/seal", "ccm_aes" #BITS "_encrypt", ccm##BITS##_setup, ccm##BITS##_seal_call, ccm##BITS##_rekey, cs_teardown_state, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-ccm/open", "ccm_aes" #BITS "_decrypt", ccm##BITS##_setup, ccm##BITS##_open_call, ccm##BITS##_rekey, cs_teardown_state, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-xts/encrypt", "xts_aes" #BITS "_encrypt_message", xts##BITS##_setup, xts##BITS##_encrypt_call, xts##BITS##_rekey, cs_teardown_state, aes##BITS, 16), \
    MODE_ROW("aes-" #BITS "-xts/decrypt", "xts_aes" #BITS "_decrypt_message", xts##BITS##_setup, xts##BITS##_decrypt_call, xts##BITS##_rekey, cs_teardown_state, aes##BITS, 16), \
    MODE_ROW("aes-" #BITS "-eax/seal", "eax_encrypt aes" #BITS, eax_setup, eax_seal_call, eax_rekey, cs_teardown_state, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-eax/open", "eax_decrypt aes" #BITS, eax_setup, eax_open_call, eax_rekey, cs_teardown_state, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-kw/wrap", "nist_keywrap16 aes" #BITS, wrap_setup, wrap_call, wrap_rekey, cs_teardown_state, aes##BITS, 8), \
    MODE_ROW("aes-" #BITS "-kw/unwrap", "nist_keyunwrap16 aes" #BITS, unwrap_setup, unwrap_call, unwrap_rekey, cs_teardown_state, aes##BITS, 8)
#define OCB_ROWS(BITS)                                                                                                 \
    MODE_ROW("aes-" #BITS "-ocb/seal", "ocb_encrypt aes" #BITS, ocb_setup, ocb_seal_call, ocb_rekey, cs_teardown_state, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-ocb/open", "ocb_decrypt aes" #BITS, ocb_setup, ocb_open_call, ocb_rekey, cs_teardown_state, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-gcm-siv/seal", "siv_gcm_encrypt_message aes" #BITS, siv_setup, siv_seal_call, siv_rekey, siv_teardown, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-gcm-siv/open", "siv_gcm_decrypt_message aes" #BITS, siv_open_setup, siv_open_call, siv_open_rekey, siv_teardown, aes##BITS, 0)

static const cs_op rows[] = {
    SIZED_ROWS(128),
    SIZED_ROWS(256),
#if HAS_OCB
    OCB_ROWS(128),
    OCB_ROWS(256),
#endif
};
const cs_table nettle_modes = CS_TABLE(rows);
/* clang-format on */
