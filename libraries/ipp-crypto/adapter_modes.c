/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: AES-CCM, AES-XTS and SM4 in counter mode.
 *
 * Entry points: ippsAES_CCMStart, ippsAES_CCMEncrypt, ippsAES_CCMDecrypt, ippsAES_CCMGetTag, ippsAES_XTSEncrypt,
 * ippsAES_XTSDecrypt, ippsSMS4EncryptCTR.
 */
#include "adapter.h"

#include <string.h>

enum { TAG = 16, BLOCK = 16, COUNTER_BITS = 128 };

/* One of the three, and its size, which the functions that set a key ask for. */
struct mode {
    struct contexts all;
    IppsAES_CCMState *ccm;
    IppsAES_XTSSpec *xts;
    IppsSMS4Spec *sm4;
    int size;
};

/* ---- CCM: the lengths of message and tag are set once for each key ---- */

static int rekey_ccm(cs_case *c)
{
    struct mode *s = c->state;
    IppStatus status = ippsAES_CCMInit(c->key.data, (int)c->key.len, s->ccm, s->size);

    if (status >= ippStsNoErr)
        status = ippsAES_CCMMessageLen(c->msg.len, s->ccm);
    return from_ipp("ippsAES_CCMInit", status >= ippStsNoErr ? ippsAES_CCMTagLen(TAG, s->ccm) : status);
}

static int setup_ccm_open(cs_case *c)
{
    struct mode *s = cs_new_state(c, sizeof *s);
    int status;

    if (s == NULL)
        return CS_ERROR;
    status = from_ipp("ippsAES_CCMGetSize", ippsAES_CCMGetSize(&s->size));
    if (status == CS_OK && (s->ccm = new_context(&s->all, s->size)) == NULL)
        status = CS_ERROR;
    if (status == CS_OK)
        status = rekey_ccm(c);
    c->out_len = c->msg.len;
    return status == CS_OK ? CS_OK : give_up(c, status);
}

static int setup_ccm_seal(cs_case *c)
{
    const int status = setup_ccm_open(c);

    c->out_len = c->msg.len + TAG;
    return status;
}

static int call_ccm_seal(cs_case *c)
{
    struct mode *s = c->state;
    IppStatus status = ippsAES_CCMStart(c->iv.data, (int)c->iv.len, c->aad.data, (int)c->aad.len, s->ccm);

    if (status >= ippStsNoErr)
        status = ippsAES_CCMEncrypt(c->msg.data, c->out, (int)c->msg.len, s->ccm);
    if (status >= ippStsNoErr)
        status = ippsAES_CCMGetTag(c->out + c->msg.len, TAG, s->ccm);
    return from_ipp("ippsAES_CCMEncrypt", status);
}

/* The library computes the tag; the caller compares it. */
static int call_ccm_open(cs_case *c)
{
    struct mode *s = c->state;
    uint8_t tag[TAG];
    unsigned differ = 0;
    IppStatus status = ippsAES_CCMStart(c->iv.data, (int)c->iv.len, c->aad.data, (int)c->aad.len, s->ccm);

    if (status >= ippStsNoErr)
        status = ippsAES_CCMDecrypt(c->msg.data, c->out, (int)c->msg.len, s->ccm);
    if (status >= ippStsNoErr)
        status = ippsAES_CCMGetTag(tag, TAG, s->ccm);
    if (status < ippStsNoErr)
        return failed("ippsAES_CCMDecrypt", status);
    for (size_t i = 0; i < TAG; i++)
        differ |= (unsigned)(tag[i] ^ c->tag.data[i]);
    return differ == 0 ? CS_OK : CS_REJECTED;
}

/* ---- XTS ---- */

/* Lengths are in bits, that of a data unit too. The library refuses one below a block. */
static int rekey_xts(cs_case *c)
{
    struct mode *s = c->state;
    const size_t unit = c->msg.len < BLOCK ? BLOCK : c->msg.len;

    return from_ipp("ippsAES_XTSInit",
                    ippsAES_XTSInit(c->key.data, (int)(8 * c->key.len), (int)(8 * unit), s->xts, s->size));
}

static int setup_xts(cs_case *c)
{
    struct mode *s = cs_new_state(c, sizeof *s);
    int status;

    if (s == NULL)
        return CS_ERROR;
    status = from_ipp("ippsAES_XTSGetSize", ippsAES_XTSGetSize(&s->size));
    if (status == CS_OK && (s->xts = new_context(&s->all, s->size)) == NULL)
        status = CS_ERROR;
    if (status == CS_OK)
        status = rekey_xts(c);
    c->out_len = c->msg.len;
    return status == CS_OK ? CS_OK : give_up(c, status);
}

static int call_xts_encrypt(cs_case *c)
{
    struct mode *s = c->state;

    return from_ipp("ippsAES_XTSEncrypt",
                    ippsAES_XTSEncrypt(c->msg.data, c->out, (int)(8 * c->msg.len), s->xts, c->iv.data, 0));
}

static int call_xts_decrypt(cs_case *c)
{
    struct mode *s = c->state;

    return from_ipp("ippsAES_XTSDecrypt",
                    ippsAES_XTSDecrypt(c->msg.data, c->out, (int)(8 * c->msg.len), s->xts, c->iv.data, 0));
}

/* ---- SM4 ---- */

static int rekey_sm4(cs_case *c)
{
    struct mode *s = c->state;

    return from_ipp("ippsSMS4SetKey", ippsSMS4SetKey(c->key.data, (int)c->key.len, s->sm4));
}

static int setup_sm4(cs_case *c)
{
    struct mode *s = cs_new_state(c, sizeof *s);
    IppStatus status;

    if (s == NULL)
        return CS_ERROR;
    status = ippsSMS4GetSize(&s->size);
    if (status >= ippStsNoErr && (s->sm4 = new_context(&s->all, s->size)) == NULL)
        return give_up(c, CS_ERROR);
    if (status >= ippStsNoErr)
        status = ippsSMS4Init(c->key.data, (int)c->key.len, s->sm4, s->size);
    c->out_len = c->msg.len;
    return status >= ippStsNoErr ? CS_OK : give_up(c, failed("ippsSMS4Init", status));
}

/* The library leaves the next counter in the place of the first, and takes no empty message. */
static int call_sm4(cs_case *c)
{
    struct mode *s = c->state;
    uint8_t counter[BLOCK];

    if (c->msg.len == 0)
        return CS_OK;
    memcpy(counter, c->iv.data, sizeof counter);
    return from_ipp("ippsSMS4EncryptCTR",
                    ippsSMS4EncryptCTR(c->msg.data, c->out, (int)c->msg.len, s->sm4, counter, COUNTER_BITS));
}

/* ---- rows ---- */

/* clang-format off */
#define CCM(ID)                                                                                                        \
    {.id = ID "/seal", .impl = "default", .name = "ippsAES_CCMStart, ippsAES_CCMEncrypt, ippsAES_CCMGetTag", .setup = setup_ccm_seal, .call = call_ccm_seal, .rekey = rekey_ccm, .teardown = teardown}, \
    {.id = ID "/open", .impl = "default", .name = "ippsAES_CCMStart, ippsAES_CCMDecrypt, ippsAES_CCMGetTag", .setup = setup_ccm_open, .call = call_ccm_open, .rekey = rekey_ccm, .teardown = teardown}
#define XTS(ID)                                                                                                        \
    {.id = ID "/encrypt", .impl = "default", .name = "ippsAES_XTSEncrypt", .setup = setup_xts, .call = call_xts_encrypt, .rekey = rekey_xts, .teardown = teardown}, \
    {.id = ID "/decrypt", .impl = "default", .name = "ippsAES_XTSDecrypt", .setup = setup_xts, .call = call_xts_decrypt, .rekey = rekey_xts, .teardown = teardown}

static const cs_op rows[] = {
    CCM("aes-128-ccm"),
    CCM("aes-256-ccm"),
    XTS("aes-128-xts"),
    XTS("aes-256-xts"),
    {.id = "sm4-ctr/encrypt", .impl = "default", .name = "ippsSMS4EncryptCTR", .setup = setup_sm4, .call = call_sm4, .rekey = rekey_sm4, .teardown = teardown},
};
/* clang-format on */

const cs_table ipp_modes = CS_TABLE(rows);
