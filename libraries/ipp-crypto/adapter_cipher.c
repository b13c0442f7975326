/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: ciphers and AES-GCM.
 *
 * Entry points: ippsAESEncryptCBC, ippsAESDecryptCBC, ippsAESEncryptCTR, ippsTDESEncryptCBC, ippsTDESDecryptCBC,
 * ippsAES_GCMStart, ippsAES_GCMEncrypt, ippsAES_GCMDecrypt, ippsAES_GCMGetTag.
 */
#include <string.h>

#include "adapter.h"

enum { AES_BLOCK = 16, DES_KEY = 8, DES_KEYS = 3, TAG = 16, COUNTER_BITS = 128 };

/* ---- AES ---- */

struct aes {
    struct contexts all;
    IppsAESSpec *spec;
};

static int setup_aes(cs_case *c)
{
    struct aes *s = cs_new_state(c, sizeof *s);
    IppStatus status;
    int size;

    if (s == NULL)
        return CS_ERROR;
    status = ippsAESGetSize(&size);
    if (status >= ippStsNoErr && (s->spec = new_context(&s->all, size)) == NULL)
        return give_up(c, CS_ERROR);
    if (status >= ippStsNoErr)
        status = ippsAESInit(c->key.data, (int)c->key.len, s->spec, size);
    c->out_len = c->msg.len;
    return status >= ippStsNoErr ? CS_OK : give_up(c, failed("ippsAESInit", status));
}

static int rekey_aes(cs_case *c)
{
    struct aes *s = c->state;

    return from_ipp("ippsAESSetKey", ippsAESSetKey(c->key.data, (int)c->key.len, s->spec));
}

static int setup_cbc(cs_case *c)
{
    return setup_aes(c);
}

/* An empty message is an error to the library, and has no block. */
static int call_cbc_encrypt(cs_case *c)
{
    struct aes *s = c->state;

    if (c->msg.len == 0)
        return CS_OK;
    return from_ipp("ippsAESEncryptCBC", ippsAESEncryptCBC(c->msg.data, c->out, (int)c->msg.len, s->spec, c->iv.data));
}

static int call_cbc_decrypt(cs_case *c)
{
    struct aes *s = c->state;

    if (c->msg.len == 0)
        return CS_OK;
    return from_ipp("ippsAESDecryptCBC", ippsAESDecryptCBC(c->msg.data, c->out, (int)c->msg.len, s->spec, c->iv.data));
}

static int setup_ctr(cs_case *c)
{
    return setup_aes(c);
}

/* The library leaves the next counter in the place of the first. */
static int call_ctr(cs_case *c)
{
    struct aes *s = c->state;
    uint8_t counter[AES_BLOCK];

    if (c->msg.len == 0)
        return CS_OK;
    memcpy(counter, c->iv.data, sizeof counter);
    return from_ipp("ippsAESEncryptCTR",
                    ippsAESEncryptCTR(c->msg.data, c->out, (int)c->msg.len, s->spec, counter, COUNTER_BITS));
}

/* ---- 3DES ---- */

struct des {
    struct contexts all;
    IppsDESSpec *spec[DES_KEYS];
};

static int rekey_3des(cs_case *c)
{
    struct des *s = c->state;
    int status = CS_OK;

    for (size_t i = 0; i < DES_KEYS && status == CS_OK; i++)
        status = from_ipp("ippsDESInit", ippsDESInit(c->key.data + DES_KEY * i, s->spec[i]));
    return status;
}

static int setup_3des(cs_case *c)
{
    struct des *s = cs_new_state(c, sizeof *s);
    int status, size;

    if (s == NULL)
        return CS_ERROR;
    status = from_ipp("ippsDESGetSize", ippsDESGetSize(&size));
    for (size_t i = 0; i < DES_KEYS && status == CS_OK; i++)
        if ((s->spec[i] = new_context(&s->all, size)) == NULL)
            status = CS_ERROR;
    if (status == CS_OK)
        status = rekey_3des(c);
    c->out_len = c->msg.len;
    return status == CS_OK ? CS_OK : give_up(c, status);
}

static int call_3des_encrypt(cs_case *c)
{
    struct des *s = c->state;

    if (c->msg.len == 0)
        return CS_OK;
    return from_ipp("ippsTDESEncryptCBC", ippsTDESEncryptCBC(c->msg.data, c->out, (int)c->msg.len, s->spec[0],
                                                             s->spec[1], s->spec[2], c->iv.data, ippPaddingNONE));
}

static int call_3des_decrypt(cs_case *c)
{
    struct des *s = c->state;

    if (c->msg.len == 0)
        return CS_OK;
    return from_ipp("ippsTDESDecryptCBC", ippsTDESDecryptCBC(c->msg.data, c->out, (int)c->msg.len, s->spec[0],
                                                             s->spec[1], s->spec[2], c->iv.data, ippPaddingNONE));
}

/* ---- AES-GCM ---- */

struct gcm {
    struct contexts all;
    IppsAES_GCMState *state;
    int size;
};

static int rekey_gcm(cs_case *c)
{
    struct gcm *s = c->state;

    return from_ipp("ippsAES_GCMInit", ippsAES_GCMInit(c->key.data, (int)c->key.len, s->state, s->size));
}

static int setup_open(cs_case *c)
{
    struct gcm *s = cs_new_state(c, sizeof *s);
    int status;

    if (s == NULL)
        return CS_ERROR;
    status = from_ipp("ippsAES_GCMGetSize", ippsAES_GCMGetSize(&s->size));
    if (status == CS_OK && (s->state = new_context(&s->all, s->size)) == NULL)
        status = CS_ERROR;
    if (status == CS_OK)
        status = rekey_gcm(c);
    c->out_len = c->msg.len;
    return status == CS_OK ? CS_OK : give_up(c, status);
}

static int setup_seal(cs_case *c)
{
    const int status = setup_open(c);

    c->out_len = c->msg.len + TAG;
    return status;
}

static int call_seal(cs_case *c)
{
    struct gcm *s = c->state;
    IppStatus status = ippsAES_GCMStart(c->iv.data, (int)c->iv.len, c->aad.data, (int)c->aad.len, s->state);

    if (status >= ippStsNoErr)
        status = ippsAES_GCMEncrypt(c->msg.data, c->out, (int)c->msg.len, s->state);
    if (status >= ippStsNoErr)
        status = ippsAES_GCMGetTag(c->out + c->msg.len, TAG, s->state);
    return from_ipp("ippsAES_GCMEncrypt", status);
}

/* The library computes the tag; comparing is the caller's. */
static int call_open(cs_case *c)
{
    struct gcm *s = c->state;
    uint8_t tag[TAG];
    unsigned differ = 0;
    IppStatus status = ippsAES_GCMStart(c->iv.data, (int)c->iv.len, c->aad.data, (int)c->aad.len, s->state);

    if (status >= ippStsNoErr)
        status = ippsAES_GCMDecrypt(c->msg.data, c->out, (int)c->msg.len, s->state);
    if (status >= ippStsNoErr)
        status = ippsAES_GCMGetTag(tag, TAG, s->state);
    if (status < ippStsNoErr)
        return failed("ippsAES_GCMDecrypt", status);
    for (size_t i = 0; i < TAG; i++)
        differ |= (unsigned)(tag[i] ^ c->tag.data[i]);
    return differ == 0 ? CS_OK : CS_REJECTED;
}

/* ---- rows ---- */

/* clang-format off */
#define CBC(ID)                                                                                                        \
    {.id = ID "/encrypt", .impl = "default", .name = "ippsAESEncryptCBC", .setup = setup_cbc, .call = call_cbc_encrypt, .rekey = rekey_aes, .teardown = teardown, .block = 16}, \
    {.id = ID "/decrypt", .impl = "default", .name = "ippsAESDecryptCBC", .setup = setup_cbc, .call = call_cbc_decrypt, .rekey = rekey_aes, .teardown = teardown, .block = 16}
#define CTR(ID)                                                                                                        \
    {.id = ID "/encrypt", .impl = "default", .name = "ippsAESEncryptCTR", .setup = setup_ctr, .call = call_ctr, .rekey = rekey_aes, .teardown = teardown}
#define GCM(ID)                                                                                                        \
    {.id = ID "/seal", .impl = "default", .name = "ippsAES_GCMStart, ippsAES_GCMEncrypt, ippsAES_GCMGetTag", .setup = setup_seal, .call = call_seal, .rekey = rekey_gcm, .teardown = teardown}, \
    {.id = ID "/open", .impl = "default", .name = "ippsAES_GCMStart, ippsAES_GCMDecrypt, ippsAES_GCMGetTag", .setup = setup_open, .call = call_open, .rekey = rekey_gcm, .teardown = teardown}

static const cs_op rows[] = {
    CBC("aes-128-cbc"),
    CBC("aes-192-cbc"),
    CBC("aes-256-cbc"),
    {.id = "3des-cbc/encrypt", .impl = "default", .name = "ippsTDESEncryptCBC", .setup = setup_3des, .call = call_3des_encrypt, .rekey = rekey_3des, .teardown = teardown, .block = 8},
    {.id = "3des-cbc/decrypt", .impl = "default", .name = "ippsTDESDecryptCBC", .setup = setup_3des, .call = call_3des_decrypt, .rekey = rekey_3des, .teardown = teardown, .block = 8},
    CTR("aes-128-ctr"),
    CTR("aes-192-ctr"),
    CTR("aes-256-ctr"),
    GCM("aes-128-gcm"),
    GCM("aes-192-gcm"),
    GCM("aes-256-gcm"),
};
/* clang-format on */

const cs_table ipp_ciphers = CS_TABLE(rows);
