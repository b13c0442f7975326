/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: AES-CCM and AES-EAX (bearssl_aead.h). Both stand on implementations of AES that combine CTR and
 * CBC-MAC (br_block_ctrcbc_class); each is a lane.
 *
 * BearSSL works in place, and an input must survive the call: the message is copied into `out` inside the call.
 */
#include "adapter.h"

enum { TAG_LEN = 16 };

/* -- lanes -- */

struct ctrcbc_lane {
    const br_block_ctrcbc_class *ctrcbc;
    const br_block_ctrcbc_class *(*get)(void);
    const char *missing;
};

/* As br_ssl_engine_set_default_aes_ccm chooses. */
static const br_block_ctrcbc_class *default_ctrcbc(void)
{
    const br_block_ctrcbc_class *x86ni = br_aes_x86ni_ctrcbc_get_vtable();
    const br_block_ctrcbc_class *pwr8 = br_aes_pwr8_ctrcbc_get_vtable();

    if (x86ni != NULL) {
        return x86ni;
    }
    if (pwr8 != NULL) {
        return pwr8;
    }
    return bear_configured("BR_64") ? &br_aes_ct64_ctrcbc_vtable : &br_aes_ct_ctrcbc_vtable;
}

static const struct ctrcbc_lane bear_ctrcbc_default = {.get = default_ctrcbc};
static const struct ctrcbc_lane bear_ctrcbc_big = {.ctrcbc = &br_aes_big_ctrcbc_vtable};
static const struct ctrcbc_lane bear_ctrcbc_small = {.ctrcbc = &br_aes_small_ctrcbc_vtable};
static const struct ctrcbc_lane bear_ctrcbc_ct = {.ctrcbc = &br_aes_ct_ctrcbc_vtable};
static const struct ctrcbc_lane bear_ctrcbc_ct64 = {.ctrcbc = &br_aes_ct64_ctrcbc_vtable};
static const struct ctrcbc_lane bear_ctrcbc_x86ni = {
    .get = br_aes_x86ni_ctrcbc_get_vtable,
    .missing = "br_aes_x86ni_ctrcbc_get_vtable() returned NULL: this CPU or this build of BearSSL has no AES-NI",
};
static const struct ctrcbc_lane bear_ctrcbc_pwr8 = {
    .get = br_aes_pwr8_ctrcbc_get_vtable,
    .missing = "br_aes_pwr8_ctrcbc_get_vtable() returned NULL: this CPU or this build of BearSSL has no POWER8 AES",
};

static const br_block_ctrcbc_class *ctrcbc_of(const cs_op *op)
{
    const struct ctrcbc_lane *lane = op->param;

    return lane->get != NULL ? lane->get() : lane->ctrcbc;
}

static const char *bear_ctrcbc_unavailable(const cs_op *op)
{
    const struct ctrcbc_lane *lane = op->param;

    return ctrcbc_of(op) != NULL ? NULL : lane->missing;
}

/* -- keys -- */

struct mode_state {
    br_aes_gen_ctrcbc_keys keys; /* the context points at it */
    br_ccm_context ccm;
    br_eax_context eax;
};

static int mode_setup(cs_case *c, int (*rekey)(cs_case *))
{
    struct mode_state *state = cs_alloc(sizeof *state);

    if (state == NULL) {
        return CS_ERROR;
    }
    state->keys.vtable = ctrcbc_of(c->op);
    c->state = state;
    c->out_len = c->tag.data == NULL ? c->msg.len + TAG_LEN : c->msg.len;
    return rekey(c);
}

static struct mode_state *expand_key(cs_case *c)
{
    struct mode_state *state = c->state;
    const br_block_ctrcbc_class *ctrcbc = state->keys.vtable;

    ctrcbc->init(&state->keys.vtable, c->key.data, c->key.len);
    return state;
}

/* -- CCM -- */

static int bear_ccm_rekey(cs_case *c)
{
    struct mode_state *state = expand_key(c);

    br_ccm_init(&state->ccm, &state->keys.vtable);
    return CS_OK;
}

static int bear_ccm_setup(cs_case *c)
{
    return mode_setup(c, bear_ccm_rekey);
}

static int ccm_run(cs_case *c, int encrypt)
{
    struct mode_state *state = c->state;

    cs_copy_message(c);
    if (br_ccm_reset(&state->ccm, c->iv.data, c->iv.len, c->aad.len, c->msg.len, TAG_LEN) != 1) {
        return cs_fail("br_ccm_reset: a length that CCM has not");
    }
    br_ccm_aad_inject(&state->ccm, c->aad.data, c->aad.len);
    br_ccm_flip(&state->ccm);
    br_ccm_run(&state->ccm, encrypt, c->out, c->msg.len);
    return CS_OK;
}

static int bear_ccm_seal(cs_case *c)
{
    struct mode_state *state = c->state;
    int status = ccm_run(c, 1);

    if (status == CS_OK) {
        br_ccm_get_tag(&state->ccm, c->out + c->msg.len);
    }
    return status;
}

static int bear_ccm_open(cs_case *c)
{
    struct mode_state *state = c->state;
    int status = ccm_run(c, 0);

    if (status != CS_OK) {
        return status;
    }
    return br_ccm_check_tag(&state->ccm, c->tag.data) == 1 ? CS_OK : CS_REJECTED;
}

/* -- EAX -- */

static int bear_eax_rekey(cs_case *c)
{
    struct mode_state *state = expand_key(c);

    br_eax_init(&state->eax, &state->keys.vtable);
    return CS_OK;
}

static int bear_eax_setup(cs_case *c)
{
    return mode_setup(c, bear_eax_rekey);
}

static void eax_run(cs_case *c, int encrypt)
{
    struct mode_state *state = c->state;

    cs_copy_message(c);
    br_eax_reset(&state->eax, c->iv.data, c->iv.len);
    br_eax_aad_inject(&state->eax, c->aad.data, c->aad.len);
    br_eax_flip(&state->eax);
    br_eax_run(&state->eax, encrypt, c->out, c->msg.len);
}

static int bear_eax_seal(cs_case *c)
{
    struct mode_state *state = c->state;

    eax_run(c, 1);
    br_eax_get_tag(&state->eax, c->out + c->msg.len);
    return CS_OK;
}

static int bear_eax_open(cs_case *c)
{
    struct mode_state *state = c->state;

    eax_run(c, 0);
    return br_eax_check_tag(&state->eax, c->tag.data) == 1 ? CS_OK : CS_REJECTED;
}

/* -- rows -- */

/* clang-format off */
#define MODE_ROW(BITS, MODE, VERB, IMPL, NAME, LANE)                                                                   \
    {.id = "aes-" #BITS "-" #MODE "/" #VERB, .impl = IMPL, .name = NAME, .setup = bear_##MODE##_setup, .call = bear_##MODE##_##VERB, .rekey = bear_##MODE##_rekey, .teardown = cs_teardown_state, .param = &bear_ctrcbc_##LANE, .unavailable = bear_ctrcbc_unavailable}
#define MODE_PAIR(BITS, MODE, IMPL, NAME, LANE) MODE_ROW(BITS, MODE, seal, IMPL, NAME, LANE), MODE_ROW(BITS, MODE, open, IMPL, NAME, LANE)
#define MODE_LANE(BITS, MODE, LANE) MODE_PAIR(BITS, MODE, "aes_" #LANE, "br_" #MODE ", br_aes_" #LANE "_ctrcbc", LANE)
#define MODE_ROWS(BITS, MODE)                                                                                          \
    MODE_PAIR(BITS, MODE, "default", "br_" #MODE ", br_aes_*_ctrcbc", default), MODE_LANE(BITS, MODE, big), MODE_LANE(BITS, MODE, small), \
    MODE_LANE(BITS, MODE, ct), MODE_LANE(BITS, MODE, ct64), MODE_LANE(BITS, MODE, x86ni), MODE_LANE(BITS, MODE, pwr8)

static const cs_op rows[] = {
    MODE_ROWS(128, ccm),
    MODE_ROWS(256, ccm),
    MODE_ROWS(128, eax),
    MODE_ROWS(256, eax),
};
/* clang-format on */

const cs_table bearssl_modes = CS_TABLE(rows);
