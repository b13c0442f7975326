/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: AES and 3DES in CBC, AES in CTR (bearssl_block.h).
 *
 * BearSSL works in place, and an input must survive the call: the message is copied into `out` inside the call.
 */
#include "adapter.h"

#include <string.h>

/* -- lanes -- */

static const br_block_cbcenc_class *default_aes_cbcenc(void)
{
    const br_block_cbcenc_class *x86ni = br_aes_x86ni_cbcenc_get_vtable();
    const br_block_cbcenc_class *pwr8 = br_aes_pwr8_cbcenc_get_vtable();

    if (x86ni != NULL) {
        return x86ni;
    }
    if (pwr8 != NULL) {
        return pwr8;
    }
    return bear_configured("BR_64") ? &br_aes_ct64_cbcenc_vtable : &br_aes_ct_cbcenc_vtable;
}

static const br_block_cbcdec_class *default_aes_cbcdec(void)
{
    const br_block_cbcdec_class *x86ni = br_aes_x86ni_cbcdec_get_vtable();
    const br_block_cbcdec_class *pwr8 = br_aes_pwr8_cbcdec_get_vtable();

    if (x86ni != NULL) {
        return x86ni;
    }
    if (pwr8 != NULL) {
        return pwr8;
    }
    return bear_configured("BR_64") ? &br_aes_ct64_cbcdec_vtable : &br_aes_ct_cbcdec_vtable;
}

static const br_block_ctr_class *default_aes_ctr(void)
{
    const br_block_ctr_class *x86ni = br_aes_x86ni_ctr_get_vtable();
    const br_block_ctr_class *pwr8 = br_aes_pwr8_ctr_get_vtable();

    if (x86ni != NULL) {
        return x86ni;
    }
    if (pwr8 != NULL) {
        return pwr8;
    }
    return bear_configured("BR_64") ? &br_aes_ct64_ctr_vtable : &br_aes_ct_ctr_vtable;
}

const struct bear_block_lane bear_aes_default = {
    .get_cbcenc = default_aes_cbcenc,
    .get_cbcdec = default_aes_cbcdec,
    .get_ctr = default_aes_ctr,
};
const struct bear_block_lane bear_aes_big = {
    .cbcenc = &br_aes_big_cbcenc_vtable,
    .cbcdec = &br_aes_big_cbcdec_vtable,
    .ctr = &br_aes_big_ctr_vtable,
};
const struct bear_block_lane bear_aes_small = {
    .cbcenc = &br_aes_small_cbcenc_vtable,
    .cbcdec = &br_aes_small_cbcdec_vtable,
    .ctr = &br_aes_small_ctr_vtable,
};
const struct bear_block_lane bear_aes_ct = {
    .cbcenc = &br_aes_ct_cbcenc_vtable,
    .cbcdec = &br_aes_ct_cbcdec_vtable,
    .ctr = &br_aes_ct_ctr_vtable,
};
const struct bear_block_lane bear_aes_ct64 = {
    .cbcenc = &br_aes_ct64_cbcenc_vtable,
    .cbcdec = &br_aes_ct64_cbcdec_vtable,
    .ctr = &br_aes_ct64_ctr_vtable,
};
const struct bear_block_lane bear_aes_x86ni = {
    .get_cbcenc = br_aes_x86ni_cbcenc_get_vtable,
    .get_cbcdec = br_aes_x86ni_cbcdec_get_vtable,
    .get_ctr = br_aes_x86ni_ctr_get_vtable,
    .missing = "br_aes_x86ni_*_get_vtable() returned NULL: this CPU or this build of BearSSL has no AES-NI",
};
const struct bear_block_lane bear_aes_pwr8 = {
    .get_cbcenc = br_aes_pwr8_cbcenc_get_vtable,
    .get_cbcdec = br_aes_pwr8_cbcdec_get_vtable,
    .get_ctr = br_aes_pwr8_ctr_get_vtable,
    .missing = "br_aes_pwr8_*_get_vtable() returned NULL: this CPU or this build of BearSSL has no POWER8 AES",
};
/* The TLS engine uses des_ct everywhere. */
static const struct bear_block_lane bear_des_default = {
    .cbcenc = &br_des_ct_cbcenc_vtable,
    .cbcdec = &br_des_ct_cbcdec_vtable,
};
static const struct bear_block_lane bear_des_tab = {
    .cbcenc = &br_des_tab_cbcenc_vtable,
    .cbcdec = &br_des_tab_cbcdec_vtable,
};
static const struct bear_block_lane bear_des_ct = {
    .cbcenc = &br_des_ct_cbcenc_vtable,
    .cbcdec = &br_des_ct_cbcdec_vtable,
};

static const br_block_cbcenc_class *lane_cbcenc(const struct bear_block_lane *lane)
{
    return lane->get_cbcenc != NULL ? lane->get_cbcenc() : lane->cbcenc;
}

static const br_block_cbcdec_class *lane_cbcdec(const struct bear_block_lane *lane)
{
    return lane->get_cbcdec != NULL ? lane->get_cbcdec() : lane->cbcdec;
}

const br_block_ctr_class *bear_block_ctr(const struct bear_block_lane *lane)
{
    return lane->get_ctr != NULL ? lane->get_ctr() : lane->ctr;
}

struct block_param {
    const struct bear_block_lane *lane;
};

/* -- CBC encryption -- */

union cbcenc_keys {
    const br_block_cbcenc_class *vtable;
    br_aes_gen_cbcenc_keys aes;
    br_des_gen_cbcenc_keys des;
};

static const char *bear_cbcenc_unavailable(const cs_op *op)
{
    const struct block_param *param = op->param;

    return lane_cbcenc(param->lane) != NULL ? NULL : param->lane->missing;
}

static int bear_cbcenc_setup(cs_case *c)
{
    const struct block_param *param = c->op->param;
    const br_block_cbcenc_class *vtable = lane_cbcenc(param->lane);
    union cbcenc_keys *keys;

    keys = cs_alloc(sizeof *keys);
    if (keys == NULL) {
        return CS_ERROR;
    }
    vtable->init(&keys->vtable, c->key.data, c->key.len);
    c->state = keys;
    c->out_len = c->msg.len;
    return CS_OK;
}

static int bear_cbcenc_rekey(cs_case *c)
{
    union cbcenc_keys *keys = c->state;

    keys->vtable->init(&keys->vtable, c->key.data, c->key.len);
    return CS_OK;
}

static int bear_cbcenc(cs_case *c)
{
    union cbcenc_keys *keys = c->state;
    uint8_t iv[16];

    memcpy(iv, c->iv.data, c->iv.len);
    cs_copy_message(c);
    keys->vtable->run(&keys->vtable, iv, c->out, c->msg.len);
    return CS_OK;
}

/* -- CBC decryption -- */

union cbcdec_keys {
    const br_block_cbcdec_class *vtable;
    br_aes_gen_cbcdec_keys aes;
    br_des_gen_cbcdec_keys des;
};

static const char *bear_cbcdec_unavailable(const cs_op *op)
{
    const struct block_param *param = op->param;

    return lane_cbcdec(param->lane) != NULL ? NULL : param->lane->missing;
}

static int bear_cbcdec_setup(cs_case *c)
{
    const struct block_param *param = c->op->param;
    const br_block_cbcdec_class *vtable = lane_cbcdec(param->lane);
    union cbcdec_keys *keys;

    keys = cs_alloc(sizeof *keys);
    if (keys == NULL) {
        return CS_ERROR;
    }
    vtable->init(&keys->vtable, c->key.data, c->key.len);
    c->state = keys;
    c->out_len = c->msg.len;
    return CS_OK;
}

static int bear_cbcdec_rekey(cs_case *c)
{
    union cbcdec_keys *keys = c->state;

    keys->vtable->init(&keys->vtable, c->key.data, c->key.len);
    return CS_OK;
}

static int bear_cbcdec(cs_case *c)
{
    union cbcdec_keys *keys = c->state;
    uint8_t iv[16];

    memcpy(iv, c->iv.data, c->iv.len);
    cs_copy_message(c);
    keys->vtable->run(&keys->vtable, iv, c->out, c->msg.len);
    return CS_OK;
}

/* -- CTR -- */

static const char *bear_ctr_unavailable(const cs_op *op)
{
    const struct block_param *param = op->param;

    return bear_block_ctr(param->lane) != NULL ? NULL : param->lane->missing;
}

static int bear_ctr_setup(cs_case *c)
{
    const struct block_param *param = c->op->param;
    const br_block_ctr_class *vtable = bear_block_ctr(param->lane);
    br_aes_gen_ctr_keys *keys;

    keys = cs_alloc(sizeof *keys);
    if (keys == NULL) {
        return CS_ERROR;
    }
    vtable->init(&keys->vtable, c->key.data, c->key.len);
    c->state = keys;
    c->out_len = c->msg.len;
    return CS_OK;
}

static int bear_ctr_rekey(cs_case *c)
{
    br_aes_gen_ctr_keys *keys = c->state;

    keys->vtable->init(&keys->vtable, c->key.data, c->key.len);
    return CS_OK;
}

/* BearSSL takes the counter block in two parts: 12 fixed bytes, and a 32-bit big-endian counter that wraps. */
static int bear_ctr(cs_case *c)
{
    br_aes_gen_ctr_keys *keys = c->state;
    const uint8_t *counter = c->iv.data + 12;
    uint32_t first = (uint32_t)counter[0] << 24 | (uint32_t)counter[1] << 16 | (uint32_t)counter[2] << 8 | counter[3];

    cs_copy_message(c);
    keys->vtable->run(&keys->vtable, c->iv.data, first, c->out, c->msg.len);
    return CS_OK;
}

BEAR_COPIED(bear_cbcenc)
BEAR_COPIED(bear_cbcdec)
BEAR_COPIED(bear_ctr)

/* -- rows -- */

/* clang-format off */
#define BLOCK(ID, VERB, IMPL, NAME, FAMILY, LANE, SIZE)                                                                \
    {.id = ID "/" VERB, .impl = IMPL, .name = NAME, .setup = bear_##FAMILY##_setup, .call = bear_##FAMILY, .rekey = bear_##FAMILY##_rekey, .teardown = cs_teardown_state, .param = &(const struct block_param){&bear_##LANE}, .unavailable = bear_##FAMILY##_unavailable, .block = SIZE}
#define AES(BITS, IMPL, NAME, LANE)                                                                                    \
    BLOCK("aes-" #BITS "-cbc", "encrypt", IMPL, NAME "_cbcenc_run", cbcenc, LANE, 16),                                 \
    BLOCK("aes-" #BITS "-cbc", "decrypt", IMPL, NAME "_cbcdec_run", cbcdec, LANE, 16),                                 \
    BLOCK("aes-" #BITS "-ctr", "encrypt", IMPL, NAME "_ctr_run", ctr, LANE, 0)
#define AES_LANE(BITS, LANE) AES(BITS, #LANE, "br_" #LANE, LANE)
#define AES_ROWS(BITS)                                                                                                 \
    AES(BITS, "default", "br_aes_*", aes_default), AES_LANE(BITS, aes_big), AES_LANE(BITS, aes_small), AES_LANE(BITS, aes_ct), \
    AES_LANE(BITS, aes_ct64), AES_LANE(BITS, aes_x86ni), AES_LANE(BITS, aes_pwr8),                                     \
    BEAR_COPIED_ROW("aes-" #BITS "-cbc/encrypt", cbcenc, cbcenc, "br_aes_*_cbcenc_run", 16, block, &bear_aes_default), \
    BEAR_COPIED_ROW("aes-" #BITS "-cbc/decrypt", cbcdec, cbcdec, "br_aes_*_cbcdec_run", 16, block, &bear_aes_default), \
    BEAR_COPIED_ROW("aes-" #BITS "-ctr/encrypt", ctr, ctr, "br_aes_*_ctr_run", 0, block, &bear_aes_default)
#define DES(IMPL, NAME, LANE)                                                                                          \
    BLOCK("3des-cbc", "encrypt", IMPL, NAME "_cbcenc_run", cbcenc, LANE, 8),                                           \
    BLOCK("3des-cbc", "decrypt", IMPL, NAME "_cbcdec_run", cbcdec, LANE, 8)

static const cs_op rows[] = {
    AES_ROWS(128),
    AES_ROWS(192),
    AES_ROWS(256),
    DES("default", "br_des_ct", des_default),
    DES("des_tab", "br_des_tab", des_tab),
    DES("des_ct", "br_des_ct", des_ct),
    BEAR_COPIED_ROW("3des-cbc/encrypt", cbcenc, cbcenc, "br_des_ct_cbcenc_run", 8, block, &bear_des_default),
    BEAR_COPIED_ROW("3des-cbc/decrypt", cbcdec, cbcdec, "br_des_ct_cbcdec_run", 8, block, &bear_des_default),
};
/* clang-format on */

const cs_table bearssl_block = CS_TABLE(rows);
