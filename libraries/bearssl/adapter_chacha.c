/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: ChaCha20 and ChaCha20-Poly1305 (bearssl_block.h).
 *
 * One call of a br_poly1305_run is the whole AEAD of RFC 8439; neither part has a key schedule to keep. The function
 * that it takes in the place of ChaCha20 is the caller's choice: one that hands out a key leaves the framed MAC.
 */
#include "adapter.h"

#include <string.h>

enum { POLY_TAG_LEN = 16 };

/* -- lanes -- */

struct chacha_lane {
    br_chacha20_run run;
    br_chacha20_run (*get)(void);
    const char *missing;
};
struct poly_lane {
    br_poly1305_run run;
    br_poly1305_run (*get)(void);
    const char *missing;
};
struct chapol_param {
    const struct poly_lane *poly;
    const struct chacha_lane *chacha;
};

static br_chacha20_run default_chacha20(void)
{
    br_chacha20_run sse2 = br_chacha20_sse2_get();

    return sse2 != 0 ? sse2 : br_chacha20_ct_run;
}

static br_poly1305_run default_poly1305(void)
{
    br_poly1305_run ctmulq = br_poly1305_ctmulq_get();

    if (ctmulq != 0) {
        return ctmulq;
    }
    return bear_configured("BR_LOMUL") ? br_poly1305_ctmul32_run : br_poly1305_ctmul_run;
}

static const struct chacha_lane bear_chacha20_default = {.get = default_chacha20};
static const struct chacha_lane bear_chacha20_ct = {.run = br_chacha20_ct_run};
static const struct chacha_lane bear_chacha20_sse2 = {
    .get = br_chacha20_sse2_get,
    .missing = "br_chacha20_sse2_get() returned NULL: this CPU or this build of BearSSL has no SSE2",
};
static const struct poly_lane bear_poly1305_default = {.get = default_poly1305};
static const struct poly_lane bear_poly1305_ctmul = {.run = br_poly1305_ctmul_run};
static const struct poly_lane bear_poly1305_ctmul32 = {.run = br_poly1305_ctmul32_run};
static const struct poly_lane bear_poly1305_ctmulq = {
    .get = br_poly1305_ctmulq_get,
    .missing = "br_poly1305_ctmulq_get() returned NULL: this build of BearSSL has no 64x64->128 multiplication",
};
static const struct poly_lane bear_poly1305_i15 = {.run = br_poly1305_i15_run};

static br_chacha20_run lane_chacha20(const struct chacha_lane *lane)
{
    return lane->get != NULL ? lane->get() : lane->run;
}

static br_poly1305_run lane_poly1305(const struct poly_lane *lane)
{
    return lane->get != NULL ? lane->get() : lane->run;
}

/* -- ChaCha20 alone -- */

struct chacha_state {
    br_chacha20_run run;
};

static const char *bear_chacha20_unavailable(const cs_op *op)
{
    const struct chacha_lane *lane = op->param;

    return lane_chacha20(lane) != 0 ? NULL : lane->missing;
}

static int bear_chacha20_setup(cs_case *c)
{
    struct chacha_state *state;

    state = cs_alloc(sizeof *state);
    if (state == NULL) {
        return CS_ERROR;
    }
    state->run = lane_chacha20(c->op->param);
    c->state = state;
    c->out_len = c->msg.len;
    return CS_OK;
}

static int bear_chacha20(cs_case *c)
{
    const struct chacha_state *state = c->state;

    cs_copy_message(c);
    state->run(c->key.data, c->iv.data, 0, c->out, c->msg.len);
    return CS_OK;
}

/* -- ChaCha20-Poly1305 -- */

struct chapol_state {
    br_poly1305_run poly;
    br_chacha20_run chacha;
};

static const char *bear_chapol_unavailable(const cs_op *op)
{
    const struct chapol_param *param = op->param;

    if (lane_poly1305(param->poly) == 0) {
        return param->poly->missing;
    }
    return lane_chacha20(param->chacha) != 0 ? NULL : param->chacha->missing;
}

static int bear_chapol_setup(cs_case *c)
{
    const struct chapol_param *param = c->op->param;
    struct chapol_state *state;

    state = cs_alloc(sizeof *state);
    if (state == NULL) {
        return CS_ERROR;
    }
    state->poly = lane_poly1305(param->poly);
    state->chacha = lane_chacha20(param->chacha);
    c->state = state;
    return CS_OK;
}

static int bear_chapol_seal(cs_case *c)
{
    const struct chapol_state *state = c->state;

    cs_copy_message(c);
    state->poly(c->key.data, c->iv.data, c->out, c->msg.len, c->aad.data, c->aad.len, c->out + c->msg.len,
                state->chacha, 1);
    c->out_len = c->msg.len + POLY_TAG_LEN;
    return CS_OK;
}

/* BearSSL leaves comparing the tag to its caller; no early exit, as a careful caller would write it. */
static int tag_differs(const uint8_t *a, const uint8_t *b)
{
    unsigned difference = 0;
    size_t i;

    for (i = 0; i < POLY_TAG_LEN; i++) {
        difference |= (unsigned)(a[i] ^ b[i]);
    }
    return difference != 0;
}

static int bear_chapol_open(cs_case *c)
{
    const struct chapol_state *state = c->state;
    uint8_t tag[POLY_TAG_LEN];

    c->out_len = 0;
    cs_copy_message(c);
    state->poly(c->key.data, c->iv.data, c->out, c->msg.len, c->aad.data, c->aad.len, tag, state->chacha, 0);
    if (tag_differs(tag, c->tag.data)) {
        return CS_REJECTED;
    }
    c->out_len = c->msg.len;
    return CS_OK;
}

/* -- Poly1305 as the AEAD frames it -- */

/* Block 0 of the stream is the one-time key; the blocks that follow would encrypt the message, which stays as it is. */
static uint32_t key_alone(const void *key, const void *iv, uint32_t counter, void *data, size_t len)
{
    (void)iv;
    if (counter == 0) {
        memcpy(data, key, len);
    }
    return counter + (uint32_t)((len + 63) / 64);
}

static const char *bear_framed_unavailable(const cs_op *op)
{
    const struct poly_lane *lane = op->param;

    return lane_poly1305(lane) != 0 ? NULL : lane->missing;
}

static int bear_framed_setup(cs_case *c)
{
    struct chapol_state *state;

    state = cs_alloc(sizeof *state);
    if (state == NULL) {
        return CS_ERROR;
    }
    state->poly = lane_poly1305(c->op->param);
    state->chacha = key_alone;
    c->state = state;
    c->out_len = POLY_TAG_LEN;
    return CS_OK;
}

/* The interface takes the message for writing, because its cipher works in place; this one does not write. */
static int bear_framed(cs_case *c)
{
    static const uint8_t no_nonce[12];
    const struct chapol_state *state = c->state;

    state->poly(c->key.data, no_nonce, (void *)c->msg.data, c->msg.len, c->aad.data, c->aad.len, c->out, state->chacha,
                0);
    return CS_OK;
}

BEAR_COPIED(bear_chacha20)
BEAR_COPIED(bear_chapol_seal)
BEAR_COPIED(bear_chapol_open)

/* -- rows -- */

/* clang-format off */
#define CHACHA(IMPL, NAME, LANE)                                                                                       \
    {.id = "chacha20/encrypt", .impl = IMPL, .name = NAME, .setup = bear_chacha20_setup, .call = bear_chacha20, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &bear_##LANE, .unavailable = bear_chacha20_unavailable}
#define CHAPOL_ROW(VERB, IMPL, NAME, MAC, CIPHER)                                                                      \
    {.id = "chacha20-poly1305/" #VERB, .impl = IMPL, .name = NAME, .setup = bear_chapol_setup, .call = bear_chapol_##VERB, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &(const struct chapol_param){&bear_##MAC, &bear_##CIPHER}, .unavailable = bear_chapol_unavailable}
#define CHAPOL(IMPL, NAME, MAC, CIPHER) CHAPOL_ROW(seal, IMPL, NAME, MAC, CIPHER), CHAPOL_ROW(open, IMPL, NAME, MAC, CIPHER)
#define CHAPOL_LANE(MAC, CIPHER) CHAPOL(#MAC "+" #CIPHER, "br_" #MAC "_run, br_" #CIPHER "_run", MAC, CIPHER)
#define CHAPOL_LANES(MAC) CHAPOL_LANE(MAC, chacha20_ct), CHAPOL_LANE(MAC, chacha20_sse2)
#define CHAPOL_COPIED(VERB)                                                                                            \
    BEAR_COPIED_ROW("chacha20-poly1305/" #VERB, chapol, chapol_##VERB, "br_poly1305_*_run, br_chacha20_*_run", 0, chapol, &bear_poly1305_default, &bear_chacha20_default)
#define FRAMED(IMPL, NAME, LANE)                                                                                       \
    {.id = "poly1305-framed/mac", .impl = IMPL, .name = NAME, .setup = bear_framed_setup, .call = bear_framed, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &bear_##LANE, .unavailable = bear_framed_unavailable}
#define FRAMED_LANE(LANE) FRAMED(#LANE, "br_" #LANE "_run", LANE)

static const cs_op rows[] = {
    CHACHA("default", "br_chacha20_*_run", chacha20_default),
    CHACHA("chacha20_ct", "br_chacha20_ct_run", chacha20_ct),
    CHACHA("chacha20_sse2", "br_chacha20_sse2_run", chacha20_sse2),
    {.id = "chacha20/encrypt", .impl = "two_copies", .name = "br_chacha20_*_run", .setup = bear_chacha20_setup, .call = bear_chacha20_copied, .teardown = cs_teardown_state, .param = &bear_chacha20_default, .unavailable = bear_chacha20_unavailable},
    CHAPOL("default", "br_poly1305_*_run, br_chacha20_*_run", poly1305_default, chacha20_default),
    CHAPOL_LANES(poly1305_ctmul),
    CHAPOL_LANES(poly1305_ctmul32),
    CHAPOL_LANES(poly1305_ctmulq),
    CHAPOL_LANES(poly1305_i15),
    CHAPOL_COPIED(seal),
    CHAPOL_COPIED(open),
    FRAMED("default", "br_poly1305_*_run", poly1305_default),
    FRAMED_LANE(poly1305_ctmul),
    FRAMED_LANE(poly1305_ctmul32),
    FRAMED_LANE(poly1305_ctmulq),
    FRAMED_LANE(poly1305_i15),
};
/* clang-format on */

const cs_table bearssl_chacha = CS_TABLE(rows);
