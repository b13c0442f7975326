/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: DSA.
 *
 * Keys are S-expressions built in setup; the library reads them again in every call.
 * Entry points: gcry_pk_sign, gcry_pk_verify, gcry_pk_genkey, gcry_md_*, gcry_sexp_*.
 */
#include "adapter.h"
#include "dsa.h"

enum { DIGEST = 32 };

struct dsa {
    gcry_sexp_t key;
    gcry_md_hd_t hash;
};

static void dsa_teardown(cs_case *c)
{
    struct dsa *s = c->state;

    gcry_md_close(s->hash);
    gcry_sexp_release(s->key);
    cs_free(s);
    c->state = NULL;
}

#define NUMBER(SPAN) (int)(SPAN).len, (SPAN).data

static gcry_error_t build(gcry_sexp_t *key, const cs_dsa_key *of)
{
    if (of->x.data == NULL)
        return gcry_sexp_build(key, NULL, "(public-key(dsa(p %b)(q %b)(g %b)(y %b)))", NUMBER(of->p), NUMBER(of->q),
                               NUMBER(of->g), NUMBER(of->y));
    return gcry_sexp_build(key, NULL, "(private-key(dsa(p %b)(q %b)(g %b)(y %b)(x %b)))", NUMBER(of->p), NUMBER(of->q),
                           NUMBER(of->g), NUMBER(of->y), NUMBER(of->x));
}

static int setup(cs_case *c)
{
    const cs_dsa_key of = cs_dsa_numbers(c);
    struct dsa *s = cs_alloc(sizeof *s);
    gcry_error_t error;

    c->state = s;
    if (s == NULL)
        return CS_ERROR;
    error = build(&s->key, &of);
    if (error == 0)
        error = gcry_md_open(&s->hash, GCRY_MD_SHA256, 0);
    if (error == 0)
        return CS_OK;
    dsa_teardown(c);
    return fail("gcry_sexp_build", error);
}

static int dsa_sign_setup(cs_case *c)
{
    c->out_len = CS_DSA_SIGNATURE;
    return setup(c);
}

static int dsa_verify_setup(cs_case *c)
{
    return setup(c);
}

static gcry_error_t hashed(cs_case *c, gcry_sexp_t *data)
{
    struct dsa *s = c->state;
    const char *form = c->op->param;

    gcry_md_reset(s->hash);
    gcry_md_write(s->hash, c->msg.data, c->msg.len);
    return gcry_sexp_build(data, NULL, form, DIGEST, gcry_md_read(s->hash, 0));
}

static cs_span span(const gcry_buffer_t *number)
{
    return (cs_span){.data = number->data, .len = number->len};
}

/* Numbers are signed in the S-expression: up to one byte longer, leading zeros left out. */
static int dsa_sign_call(cs_case *c)
{
    struct dsa *key = c->state;
    uint8_t space[2][CS_DSA_Q + 1];
    gcry_buffer_t r = {.size = sizeof space[0], .data = space[0]};
    gcry_buffer_t s = {.size = sizeof space[1], .data = space[1]};
    gcry_sexp_t data = NULL, signature = NULL;
    gcry_error_t error = hashed(c, &data);

    if (error == 0)
        error = gcry_pk_sign(&signature, data, key->key);
    gcry_sexp_release(data);
    if (error == 0)
        error = gcry_sexp_extract_param(signature, NULL, "&rs", &r, &s, NULL);
    gcry_sexp_release(signature);
    if (error != 0)
        return fail("gcry_pk_sign", error);
    return cs_put_number(c->out, CS_DSA_Q, span(&r)) | cs_put_number(c->out + CS_DSA_Q, CS_DSA_Q, span(&s));
}

/* An S-expression holds the halves apart: the signature is cut in two here, which only one length allows. */
static int dsa_verify_call(cs_case *c)
{
    struct dsa *key = c->state;
    gcry_sexp_t data = NULL, signature = NULL;
    gcry_error_t error;

    if (c->sig.len != CS_DSA_SIGNATURE)
        return CS_REJECTED;
    error = hashed(c, &data);
    if (error == 0)
        error = gcry_sexp_build(&signature, NULL, "(sig-val(dsa(r %b)(s %b)))", CS_DSA_Q, c->sig.data, CS_DSA_Q,
                                c->sig.data + CS_DSA_Q);
    if (error == 0)
        error = gcry_pk_verify(signature, data, key->key);
    gcry_sexp_release(signature);
    gcry_sexp_release(data);
    if (error == 0)
        return CS_OK;
    return gcry_err_code(error) == GPG_ERR_BAD_SIGNATURE ? CS_REJECTED : fail("gcry_pk_verify", error);
}

/* ---- keys and domain parameters ---- */

static int dsa_keygen_setup(cs_case *c)
{
    const cs_dsa_key *of = &cs_dsa_rfc5114;
    gcry_sexp_t request = NULL;
    gcry_error_t error = gcry_sexp_build(&request, NULL, c->op->param, NUMBER(of->p), NUMBER(of->q), NUMBER(of->g));

    c->state = request;
    return error == 0 ? CS_OK : fail("gcry_sexp_build", error);
}

static int dsa_keygen_call(cs_case *c)
{
    uint8_t private_space[CS_DSA_Q + 1], public_space[CS_DSA_P + 1];
    gcry_buffer_t x = {.size = sizeof private_space, .data = private_space};
    gcry_buffer_t y = {.size = sizeof public_space, .data = public_space};
    gcry_sexp_t pair = NULL;
    gcry_error_t error = gcry_pk_genkey(&pair, c->state);

    if (error == 0)
        error = gcry_sexp_extract_param(pair, "private-key!dsa", "&xy", &x, &y, NULL);
    gcry_sexp_release(pair);
    return error == 0 ? cs_dsa_put_pair(c, span(&x), span(&y)) : fail("gcry_pk_genkey", error);
}

static int dsa_paramgen_setup(cs_case *c)
{
    gcry_sexp_t request = NULL;
    gcry_error_t error = gcry_sexp_new(&request, c->op->param, 0, 1);

    c->state = request;
    return error == 0 ? CS_OK : fail("gcry_sexp_new", error);
}

/* The library makes no domain parameters without a key in them, which is let go. */
static int dsa_paramgen_call(cs_case *c)
{
    uint8_t p_space[CS_DSA_P + 1], q_space[CS_DSA_Q + 1], g_space[CS_DSA_P + 1];
    gcry_buffer_t p = {.size = sizeof p_space, .data = p_space};
    gcry_buffer_t q = {.size = sizeof q_space, .data = q_space};
    gcry_buffer_t g = {.size = sizeof g_space, .data = g_space};
    gcry_sexp_t pair = NULL;
    gcry_error_t error = gcry_pk_genkey(&pair, c->state);

    if (error == 0)
        error = gcry_sexp_extract_param(pair, "private-key!dsa", "&pqg", &p, &q, &g, NULL);
    gcry_sexp_release(pair);
    return error == 0 ? cs_dsa_put_domain(c, span(&p), span(&q), span(&g)) : fail("gcry_pk_genkey", error);
}

/* `param`: the flags that the hash is wrapped with, which say where the secret number of a signature comes from. */
#define DSA_KEY_ROW(VERB, IMPL, FLAGS)                                                                                 \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = IMPL,                                                                                                     \
     .name = "gcry_pk_" #VERB,                                                                                         \
     .setup = dsa_##VERB##_setup,                                                                                      \
     .call = dsa_##VERB##_call,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = dsa_teardown,                                                                                         \
     .param = "(data(flags " FLAGS ")(hash sha256 %b))",                                                               \
     .form = "p1363",                                                                                                  \
     .seed = ecdsa_seed}
/* `param`: what gcry_pk_genkey is asked for. */
#define DSA_GENERATE_ROW(VERB, IMPL, REQUEST)                                                                          \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = IMPL,                                                                                                     \
     .name = "gcry_pk_genkey",                                                                                         \
     .setup = dsa_##VERB##_setup,                                                                                      \
     .call = dsa_##VERB##_call,                                                                                        \
     .teardown = sexp_teardown,                                                                                        \
     .param = REQUEST,                                                                                                 \
     .seed = ecdsa_seed}

static const cs_op rows[] = {
    DSA_KEY_ROW(sign, "default", "raw"),
    DSA_KEY_ROW(sign, "rfc6979", "rfc6979"),
    DSA_KEY_ROW(verify, "default", "raw"),
    DSA_GENERATE_ROW(keygen, "default", "(genkey(dsa(domain(p %b)(q %b)(g %b))))"),
    DSA_GENERATE_ROW(paramgen, "default", "(genkey(dsa(nbits 4:2048)(qbits 3:256)))"),
    DSA_GENERATE_ROW(paramgen, "use-fips186", "(genkey(dsa(nbits 4:2048)(qbits 3:256)(use-fips186)))"),
};

const cs_table libgcrypt_dsa = CS_TABLE(rows);
