/* SPDX-License-Identifier: Apache-2.0
 *
 * liboqs: ML-DSA. Entry points: OQS_SIG_new, OQS_SIG_keypair, OQS_SIG_sign, OQS_SIG_verify.
 *
 * The library makes a key of 32 bytes that it draws, and returns the private key that comes of them. What it drew is
 * the private key of the catalogue: the source of randomness that it lets a caller set keeps them, or hands them out.
 */
#include <oqs/oqs.h>
#include <string.h>

#include "adapter.h"
#include "cipherstone_encoding.h"

enum { SEED = 32, LONGEST_SECRET = 4896 }; /* FIPS 204 table 2 */

struct sig {
    OQS_SIG *sig;
    cs_span seed;
    uint8_t secret[LONGEST_SECRET];
};

/* ---- what keys are made of ---- */

static struct {
    cs_stream stream;
    uint8_t first[SEED];
    size_t drawn;
} source;

static void from_seed(uint8_t *out, size_t len)
{
    if (cs_draw(&source.stream, out, len) != CS_OK)
        memset(out, 0, len); /* more was drawn than a seed has: not the expected key */
}

static void kept(uint8_t *out, size_t len)
{
    if (cs_counts_random())
        oqs_counted(out, len);
    else
        oqs_system(out, len);
    if (source.drawn == 0 && len == SEED)
        memcpy(source.first, out, SEED);
    source.drawn += len;
}

static void own_source_again(void)
{
    if (cs_counts_random())
        OQS_randombytes_custom_algorithm(oqs_counted);
    else
#if defined(OQS_EMBEDDED_BUILD)
        OQS_randombytes_custom_algorithm(oqs_system); /* such a build has none of its own */
#else
        (void)OQS_randombytes_switch_algorithm(OQS_RAND_alg_system);
#endif
}

static OQS_STATUS key_of_seed(const struct sig *s, cs_span seed, uint8_t *pub, uint8_t *secret)
{
    OQS_STATUS status;

    source.stream = (cs_stream){seed};
    OQS_randombytes_custom_algorithm(from_seed);
    status = OQS_SIG_keypair(s->sig, pub, secret);
    own_source_again();
    return status;
}

/* ---- cases ---- */

static const char *sig_unavailable(const struct cs_op *op)
{
    return OQS_SIG_alg_is_enabled(op->param) ? NULL : "this build of liboqs leaves the algorithm out";
}

static void sig_teardown(cs_case *c)
{
    struct sig *s = c->state;

    OQS_SIG_free(s->sig);
    cs_free(s);
    c->state = NULL;
}

static struct sig *sig_open(cs_case *c)
{
    struct sig *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return NULL;
    s->sig = OQS_SIG_new(c->op->param);
    s->seed = cs_input(c, "seed");
    if (s->sig == NULL || s->sig->length_secret_key > sizeof s->secret) {
        OQS_SIG_free(s->sig);
        cs_free(s);
        (void)cs_fail("OQS_SIG_new");
        return NULL;
    }
    c->state = s;
    return s;
}

static int sig_keygen_setup(cs_case *c)
{
    const struct sig *s = sig_open(c);

    if (s == NULL)
        return CS_ERROR;
    c->out_len = SEED + s->sig->length_public_key;
    return CS_OK;
}

static int sig_keygen_call(cs_case *c)
{
    struct sig *s = c->state;
    OQS_STATUS status;

    if (s->seed.data != NULL) {
        memcpy(c->out, s->seed.data, SEED);
        return key_of_seed(s, s->seed, c->out + SEED, s->secret) == OQS_SUCCESS ? CS_OK : cs_fail("OQS_SIG_keypair");
    }
    source.drawn = 0;
    OQS_randombytes_custom_algorithm(kept);
    status = OQS_SIG_keypair(s->sig, c->out + SEED, s->secret);
    own_source_again();
    memcpy(c->out, source.first, SEED);
    return status == OQS_SUCCESS && source.drawn == SEED ? CS_OK : cs_fail("OQS_SIG_keypair");
}

static int sig_sign_setup(cs_case *c)
{
    struct sig *s = sig_open(c);
    uint8_t *pub;
    OQS_STATUS status;

    if (s == NULL)
        return CS_ERROR;
    pub = cs_alloc(s->sig->length_public_key);
    status = pub == NULL ? OQS_ERROR : key_of_seed(s, c->key, pub, s->secret);
    cs_free(pub);
    if (status == OQS_SUCCESS)
        return CS_OK;
    sig_teardown(c);
    return cs_fail("OQS_SIG_keypair");
}

static int sig_sign_call(cs_case *c)
{
    const struct sig *s = c->state;

    return OQS_SIG_sign(s->sig, c->out, &c->out_len, c->msg.data, c->msg.len, s->secret) == OQS_SUCCESS
               ? CS_OK
               : cs_fail("OQS_SIG_sign");
}

static int sig_verify_setup(cs_case *c)
{
    return sig_open(c) == NULL ? CS_ERROR : CS_OK;
}

static int sig_verify_call(cs_case *c)
{
    const struct sig *s = c->state;

    return OQS_SIG_verify(s->sig, c->msg.data, c->msg.len, c->sig.data, c->sig.len, c->pub.data) == OQS_SUCCESS
               ? CS_OK
               : CS_REJECTED;
}

#define SIG_ROWS(ALGORITHM, NAME)                                                                                      \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "OQS_SIG_keypair",                                                                                        \
     .setup = sig_keygen_setup,                                                                                        \
     .call = sig_keygen_call,                                                                                          \
     .teardown = sig_teardown,                                                                                         \
     .param = NAME,                                                                                                    \
     .unavailable = sig_unavailable,                                                                                   \
     .counts_random = 1,                                                                                               \
     .seeded = 1},                                                                                                     \
        {.id = ALGORITHM "/sign",                                                                                      \
         .impl = "default",                                                                                            \
         .name = "OQS_SIG_sign",                                                                                       \
         .setup = sig_sign_setup,                                                                                      \
         .call = sig_sign_call,                                                                                        \
         .rekey = cs_setup_again,                                                                                      \
         .teardown = sig_teardown,                                                                                     \
         .param = NAME,                                                                                                \
         .unavailable = sig_unavailable,                                                                               \
         .counts_random = 1},                                                                                          \
    {                                                                                                                  \
        .id = ALGORITHM "/verify", .impl = "default", .name = "OQS_SIG_verify", .setup = sig_verify_setup,             \
        .call = sig_verify_call, .rekey = cs_key_in_call, .teardown = sig_teardown, .param = NAME,                     \
        .unavailable = sig_unavailable                                                                                 \
    }

static const cs_op rows[] = {
    SIG_ROWS("ml-dsa-44", OQS_SIG_alg_ml_dsa_44),
    SIG_ROWS("ml-dsa-65", OQS_SIG_alg_ml_dsa_65),
    SIG_ROWS("ml-dsa-87", OQS_SIG_alg_ml_dsa_87),
};
const cs_table liboqs_sig = CS_TABLE(rows);
