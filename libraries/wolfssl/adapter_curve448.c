/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: X448 and Ed448, where the build has them.
 *
 * Entry points: wc_curve448_*, wc_ed448_*.
 */
#include "adapter.h"

#if defined(HAVE_CURVE448) && defined(HAVE_ED448)
#include <wolfssl/wolfcrypt/curve448.h>
#include <wolfssl/wolfcrypt/ed448.h>

/* ---- X448 ---- */

struct agreement {
    curve448_key key;
    curve448_key peer;
};

static void x448_teardown(cs_case *c)
{
    struct agreement *s = c->state;

    wc_curve448_free(&s->key);
    wc_curve448_free(&s->peer);
    cs_teardown_state(c);
}

static int x448_setup(cs_case *c)
{
    struct agreement *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    c->out_len = CURVE448_KEY_SIZE;
    error = wc_curve448_init(&s->key);
    if (error == 0)
        error = wc_curve448_init(&s->peer);
    if (error == 0)
        error = wc_curve448_import_private_ex(c->key.data, (word32)c->key.len, &s->key, EC448_LITTLE_ENDIAN);
    if (error == 0)
        error = wc_curve448_import_public_ex(c->pub.data, (word32)c->pub.len, &s->peer, EC448_LITTLE_ENDIAN);
    if (error != 0)
        x448_teardown(c);
    return from_wc(error);
}

/* A secret of zeros is refused, as an error of the elliptic curve. */
static int x448_call(cs_case *c)
{
    struct agreement *s = c->state;
    word32 len = CURVE448_KEY_SIZE;
    int error = wc_curve448_shared_secret_ex(&s->key, &s->peer, c->out, &len, EC448_LITTLE_ENDIAN);

    return error == ECC_BAD_ARG_E || error == ECC_OUT_OF_RANGE_E ? CS_BAD_KEY : from_wc(error);
}

static int x448_keygen_setup(cs_case *c)
{
    c->out_len = (size_t)2 * CURVE448_KEY_SIZE;
    return cs_new_state(c, sizeof(curve448_key)) == NULL ? CS_ERROR : from_wc(wc_curve448_init(c->state));
}

static int x448_keygen_call(cs_case *c)
{
    word32 private_len = CURVE448_KEY_SIZE, public_len = CURVE448_PUB_KEY_SIZE;
    int error = wc_curve448_make_key(&random_state, CURVE448_KEY_SIZE, c->state);

    if (error == 0)
        error = wc_curve448_export_key_raw_ex(c->state, c->out, &private_len, c->out + CURVE448_KEY_SIZE, &public_len,
                                              EC448_LITTLE_ENDIAN);
    return from_wc(error);
}

static void x448_keygen_teardown(cs_case *c)
{
    wc_curve448_free(c->state);
    cs_teardown_state(c);
}

/* ---- Ed448 ---- */

static void ed448_teardown(cs_case *c)
{
    wc_ed448_free(c->state);
    cs_teardown_state(c);
}

static int ed448_open(cs_case *c)
{
    int error;

    if (cs_new_state(c, sizeof(ed448_key)) == NULL)
        return CS_ERROR;
    error = wc_ed448_init(c->state);
    if (error == 0)
        error = c->key.data == NULL ? wc_ed448_import_public(c->pub.data, (word32)c->pub.len, c->state)
                                    : wc_ed448_import_private_key(c->key.data, (word32)c->key.len, c->pub.data,
                                                                  (word32)c->pub.len, c->state);
    if (error != 0)
        ed448_teardown(c);
    return from_wc(error);
}

static int ed448_sign_setup(cs_case *c)
{
    c->out_len = ED448_SIG_SIZE;
    return ed448_open(c);
}

static int ed448_verify_setup(cs_case *c)
{
    return ed448_open(c);
}

static int ed448_sign_call(cs_case *c)
{
    word32 len = ED448_SIG_SIZE;

    return from_wc(wc_ed448_sign_msg(c->msg.data, (word32)c->msg.len, c->out, &len, c->state, NULL, 0));
}

static int ed448_verify_call(cs_case *c)
{
    int good = 0;
    int error =
        wc_ed448_verify_msg(c->sig.data, (word32)c->sig.len, c->msg.data, (word32)c->msg.len, &good, c->state, NULL, 0);

    if (error == MEMORY_E)
        return from_wc(error);
    return error == 0 && good ? CS_OK : CS_REJECTED;
}

static int ed448_keygen_setup(cs_case *c)
{
    c->out_len = ED448_KEY_SIZE + ED448_PUB_KEY_SIZE;
    return cs_new_state(c, sizeof(ed448_key)) == NULL ? CS_ERROR : from_wc(wc_ed448_init(c->state));
}

static int ed448_keygen_call(cs_case *c)
{
    word32 private_len = ED448_KEY_SIZE, public_len = ED448_PUB_KEY_SIZE;
    int error = wc_ed448_make_key(&random_state, ED448_KEY_SIZE, c->state);

    if (error == 0)
        error = wc_ed448_export_private_only(c->state, c->out, &private_len);
    if (error == 0)
        error = wc_ed448_export_public(c->state, c->out + ED448_KEY_SIZE, &public_len);
    return from_wc(error);
}

/* clang-format off */
static const cs_op rows[] = {
    {.id = "x448/derive", .impl = "default", .name = "wc_curve448_shared_secret_ex", .setup = x448_setup, .call = x448_call, .rekey = cs_setup_again, .teardown = x448_teardown},
    {.id = "ed448/sign", .impl = "default", .name = "wc_ed448_sign_msg", .setup = ed448_sign_setup, .call = ed448_sign_call, .rekey = cs_setup_again, .teardown = ed448_teardown},
    {.id = "ed448/verify", .impl = "default", .name = "wc_ed448_verify_msg", .setup = ed448_verify_setup, .call = ed448_verify_call, .rekey = cs_setup_again, .teardown = ed448_teardown},
    {.id = "x448/keygen", .impl = "default", .name = "wc_curve448_make_key", .setup = x448_keygen_setup, .call = x448_keygen_call, .teardown = x448_keygen_teardown, .seed = seed_random, .counts_random = 1},
    {.id = "ed448/keygen", .impl = "default", .name = "wc_ed448_make_key", .setup = ed448_keygen_setup, .call = ed448_keygen_call, .teardown = ed448_teardown, .seed = seed_random, .counts_random = 1},
};
/* clang-format on */

const cs_table wolfssl_curve448 = CS_TABLE(rows);
#else
const cs_table wolfssl_curve448 = {NULL, 0};
#endif
