/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: GHASH (bearssl_hash.h) and AES-GCM (bearssl_aead.h).
 */
#include "adapter.h"

#include <string.h>

enum { GCM_TAG_LEN = 16, GHASH_LEN = 16 };

/* -- lanes -- */

struct ghash_lane {
    br_ghash run;
    br_ghash (*get)(void);
    const char *missing;
};
struct gcm_param {
    const struct bear_block_lane *aes;
    const struct ghash_lane *ghash;
};

static br_ghash default_ghash(void)
{
    br_ghash pclmul = br_ghash_pclmul_get();
    br_ghash pwr8 = br_ghash_pwr8_get();

    if (pclmul != 0) {
        return pclmul;
    }
    if (pwr8 != 0) {
        return pwr8;
    }
    if (bear_configured("BR_LOMUL")) {
        return br_ghash_ctmul32;
    }
    return bear_configured("BR_64") ? br_ghash_ctmul64 : br_ghash_ctmul;
}

static const struct ghash_lane bear_ghash_default = {.get = default_ghash};
static const struct ghash_lane bear_ghash_ctmul = {.run = br_ghash_ctmul};
static const struct ghash_lane bear_ghash_ctmul32 = {.run = br_ghash_ctmul32};
static const struct ghash_lane bear_ghash_ctmul64 = {.run = br_ghash_ctmul64};
static const struct ghash_lane bear_ghash_pclmul = {
    .get = br_ghash_pclmul_get,
    .missing = "br_ghash_pclmul_get() returned NULL: this CPU or this build of BearSSL has no PCLMULQDQ",
};
static const struct ghash_lane bear_ghash_pwr8 = {
    .get = br_ghash_pwr8_get,
    .missing = "br_ghash_pwr8_get() returned NULL: this CPU or this build of BearSSL has no POWER8 multiplication",
};

static br_ghash lane_ghash(const struct ghash_lane *lane)
{
    return lane->get != NULL ? lane->get() : lane->run;
}

/* -- GHASH alone -- */

static const char *bear_ghash_unavailable(const cs_op *op)
{
    const struct ghash_lane *lane = op->param;

    return lane_ghash(lane) != 0 ? NULL : lane->missing;
}

struct ghash_state {
    br_ghash run;
};

static int bear_ghash_setup(cs_case *c)
{
    struct ghash_state *state;

    state = cs_alloc(sizeof *state);
    if (state == NULL) {
        return CS_ERROR;
    }
    state->run = lane_ghash(c->op->param);
    c->state = state;
    c->out_len = GHASH_LEN;
    return CS_OK;
}

static int bear_ghash(cs_case *c)
{
    const struct ghash_state *state = c->state;

    memset(c->out, 0, GHASH_LEN);
    state->run(c->out, c->key.data, c->msg.data, c->msg.len);
    return CS_OK;
}

/* -- AES-GCM -- */

struct gcm_state {
    br_aes_gen_ctr_keys keys; /* the GCM context points at it */
    br_gcm_context context;
};

static const char *bear_gcm_unavailable(const cs_op *op)
{
    const struct gcm_param *param = op->param;

    if (bear_block_ctr(param->aes) == NULL) {
        return param->aes->missing;
    }
    return lane_ghash(param->ghash) != 0 ? NULL : param->ghash->missing;
}

static int bear_gcm_setup(cs_case *c)
{
    const struct gcm_param *param = c->op->param;
    const br_block_ctr_class *ctr = bear_block_ctr(param->aes);
    struct gcm_state *state;

    state = cs_alloc(sizeof *state);
    if (state == NULL) {
        return CS_ERROR;
    }
    ctr->init(&state->keys.vtable, c->key.data, c->key.len);
    br_gcm_init(&state->context, &state->keys.vtable, lane_ghash(param->ghash));
    c->state = state;
    return CS_OK;
}

/* br_gcm_init keeps a pointer to the key schedule, and makes the authentication key of it. */
static int bear_gcm_rekey(cs_case *c)
{
    struct gcm_state *state = c->state;
    const br_block_ctr_class *ctr = state->keys.vtable;

    ctr->init(&state->keys.vtable, c->key.data, c->key.len);
    br_gcm_init(&state->context, &state->keys.vtable, state->context.gh);
    return CS_OK;
}

static int bear_gcm_seal(cs_case *c)
{
    struct gcm_state *state = c->state;

    cs_copy_message(c);
    br_gcm_reset(&state->context, c->iv.data, c->iv.len);
    br_gcm_aad_inject(&state->context, c->aad.data, c->aad.len);
    br_gcm_flip(&state->context);
    br_gcm_run(&state->context, 1, c->out, c->msg.len);
    br_gcm_get_tag(&state->context, c->out + c->msg.len);
    c->out_len = c->msg.len + GCM_TAG_LEN;
    return CS_OK;
}

static int bear_gcm_open(cs_case *c)
{
    struct gcm_state *state = c->state;

    c->out_len = 0;
    cs_copy_message(c);
    br_gcm_reset(&state->context, c->iv.data, c->iv.len);
    br_gcm_aad_inject(&state->context, c->aad.data, c->aad.len);
    br_gcm_flip(&state->context);
    br_gcm_run(&state->context, 0, c->out, c->msg.len);
    if (br_gcm_check_tag(&state->context, c->tag.data) != 1) {
        return CS_REJECTED;
    }
    c->out_len = c->msg.len;
    return CS_OK;
}

BEAR_COPIED(bear_gcm_seal)
BEAR_COPIED(bear_gcm_open)

/* -- rows -- */

/* clang-format off */
#define GHASH(IMPL, NAME, LANE)                                                                                        \
    {.id = "ghash/mac", .impl = IMPL, .name = NAME, .setup = bear_ghash_setup, .call = bear_ghash, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &bear_##LANE, .unavailable = bear_ghash_unavailable}
#define GCM_ROW(BITS, VERB, IMPL, NAME, CTR, MAC)                                                                      \
    {.id = "aes-" #BITS "-gcm/" #VERB, .impl = IMPL, .name = NAME, .setup = bear_gcm_setup, .call = bear_gcm_##VERB, .rekey = bear_gcm_rekey, .teardown = cs_teardown_state, .param = &(const struct gcm_param){&bear_##CTR, &bear_##MAC}, .unavailable = bear_gcm_unavailable}
#define GCM(BITS, IMPL, NAME, CTR, MAC) GCM_ROW(BITS, seal, IMPL, NAME, CTR, MAC), GCM_ROW(BITS, open, IMPL, NAME, CTR, MAC)
#define GCM_LANE(BITS, CTR, MAC) GCM(BITS, #CTR "+" #MAC, "br_gcm, br_" #CTR "_ctr, br_" #MAC, CTR, MAC)
#define GCM_COPIED(BITS, VERB)                                                                                         \
    BEAR_COPIED_ROW("aes-" #BITS "-gcm/" #VERB, gcm, gcm_##VERB, "br_gcm, br_aes_*_ctr, br_ghash_*", 0, gcm, &bear_aes_default, &bear_ghash_default)
#define GCM_ROWS(BITS)                                                                                                 \
    GCM(BITS, "default", "br_gcm, br_aes_*_ctr, br_ghash_*", aes_default, ghash_default), GCM_LANE(BITS, aes_big, ghash_ctmul), \
    GCM_LANE(BITS, aes_small, ghash_ctmul), GCM_LANE(BITS, aes_ct, ghash_ctmul), GCM_LANE(BITS, aes_ct64, ghash_ctmul32), \
    GCM_LANE(BITS, aes_ct64, ghash_ctmul64), GCM_LANE(BITS, aes_ct64, ghash_pclmul), GCM_LANE(BITS, aes_x86ni, ghash_pclmul), \
    GCM_LANE(BITS, aes_pwr8, ghash_pwr8), GCM_COPIED(BITS, seal), GCM_COPIED(BITS, open)

static const cs_op rows[] = {
    GHASH("default", "br_ghash_*", ghash_default),
    GHASH("ghash_ctmul", "br_ghash_ctmul", ghash_ctmul),
    GHASH("ghash_ctmul32", "br_ghash_ctmul32", ghash_ctmul32),
    GHASH("ghash_ctmul64", "br_ghash_ctmul64", ghash_ctmul64),
    GHASH("ghash_pclmul", "br_ghash_pclmul", ghash_pclmul),
    GHASH("ghash_pwr8", "br_ghash_pwr8", ghash_pwr8),
    GCM_ROWS(128),
    GCM_ROWS(192),
    GCM_ROWS(256),
};
/* clang-format on */

const cs_table bearssl_gcm = CS_TABLE(rows);
