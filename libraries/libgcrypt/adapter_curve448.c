/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: X448 and Ed448, whose keys and signatures are strings of bytes in S-expressions.
 *
 * Entry points: gcry_ecc_mul_point, gcry_pk_sign, gcry_pk_verify, gcry_sexp_*.
 */
#include <limits.h>
#include <string.h>

#include "adapter.h"

enum { KEY_X448 = 56, KEY_ED448 = 57, SIGNATURE = 2 * KEY_ED448 };

static int x448_setup(cs_case *c)
{
    c->out_len = gcry_ecc_get_algo_keylen(GCRY_ECC_CURVE448);
    return CS_OK;
}

static int x448_call(cs_case *c)
{
    gcry_error_t error = gcry_ecc_mul_point(GCRY_ECC_CURVE448, c->out, c->key.data, c->pub.data);

    return error == 0 ? CS_OK : fail("gcry_ecc_mul_point", error);
}

/* ---- Ed448 ---- */

static int open_key(cs_case *c, const char *form)
{
    gcry_sexp_t key = NULL;
    gcry_error_t error;

    if (c->msg.len > INT_MAX)
        return fail("message", gcry_error(GPG_ERR_TOO_LARGE));
    error = gcry_sexp_build(&key, NULL, form, (int)c->pub.len, c->pub.data, (int)c->key.len, c->key.data);
    c->state = key;
    return error == 0 ? CS_OK : fail("gcry_sexp_build", error);
}

static int ed448_sign_setup(cs_case *c)
{
    c->out_len = SIGNATURE;
    return open_key(c, "(private-key(ecc(curve Ed448)(q %b)(d %b)))");
}

static int ed448_verify_setup(cs_case *c)
{
    return open_key(c, "(public-key(ecc(curve Ed448)(q %b)))");
}

/* S-expressions have no empty strings: an empty message is a list without a value. */
static gcry_error_t wrap(const cs_case *c, gcry_sexp_t *data)
{
    const char *form = c->msg.len != 0 ? "(data(value %b))" : "(data(value))";

    return gcry_sexp_build(data, NULL, form, (int)c->msg.len, c->msg.data);
}

static int ed448_sign_call(cs_case *c)
{
    gcry_buffer_t r = {.size = KEY_ED448, .data = c->out};
    gcry_buffer_t s = {.size = KEY_ED448, .data = c->out + KEY_ED448};
    gcry_sexp_t data = NULL, signature = NULL;
    gcry_error_t error = wrap(c, &data);

    if (error == 0)
        error = gcry_pk_sign(&signature, data, c->state);
    if (error == 0)
        error = gcry_sexp_extract_param(signature, NULL, "&rs", &r, &s, NULL);
    gcry_sexp_release(signature);
    gcry_sexp_release(data);
    if (error != 0)
        return fail("gcry_pk_sign", error);
    return r.len == KEY_ED448 && s.len == KEY_ED448 ? CS_OK : cs_fail("signature has the wrong length");
}

/* An S-expression holds the halves apart: the signature is cut in two here, which only one length allows. */
static int ed448_verify_call(cs_case *c)
{
    gcry_sexp_t data = NULL, signature = NULL;
    gcry_error_t error;

    if (c->sig.len != SIGNATURE)
        return CS_REJECTED;
    error = wrap(c, &data);
    if (error == 0)
        error = gcry_sexp_build(&signature, NULL, "(sig-val(eddsa(r %b)(s %b)))", KEY_ED448, c->sig.data, KEY_ED448,
                                c->sig.data + KEY_ED448);
    if (error == 0)
        error = gcry_pk_verify(signature, data, c->state);
    gcry_sexp_release(signature);
    gcry_sexp_release(data);
    if (error == 0)
        return CS_OK;
    return gcry_err_code(error) == GPG_ERR_BAD_SIGNATURE ? CS_REJECTED : fail("gcry_pk_verify", error);
}

/* ---- key generation ---- */

/* A value of the private key that is a string of exactly `len` bytes. */
static int put_bytes(gcry_sexp_t pair, const char *name, uint8_t *out, size_t len)
{
    gcry_sexp_t key = gcry_sexp_find_token(pair, "private-key", 0);
    gcry_sexp_t list = key == NULL ? NULL : gcry_sexp_find_token(key, name, 0);
    size_t found = 0;
    const char *bytes = list == NULL ? NULL : gcry_sexp_nth_data(list, 1, &found);
    int fits = bytes != NULL && found == len;

    if (fits)
        memcpy(out, bytes, len);
    gcry_sexp_release(list);
    gcry_sexp_release(key);
    return fits ? CS_OK : cs_fail("the pair has a value of another length");
}

static int put_pair(cs_case *c, gcry_sexp_t pair, size_t len)
{
    c->out_len = 2 * len;
    if (put_bytes(pair, "d", c->out, len) != CS_OK)
        return CS_ERROR;
    return put_bytes(pair, "q", c->out + len, len);
}

static int put_x448(cs_case *c, gcry_sexp_t pair)
{
    return put_pair(c, pair, KEY_X448);
}

static int put_ed448(cs_case *c, gcry_sexp_t pair)
{
    return put_pair(c, pair, KEY_ED448);
}

/* clang-format off */
static const cs_op rows[] = {
    {.id = "x448/derive", .impl = "default", .name = "gcry_ecc_mul_point Curve448", .setup = x448_setup, .call = x448_call, .rekey = cs_key_in_call},
    {.id = "ed448/sign", .impl = "default", .name = "gcry_pk_sign Ed448", .setup = ed448_sign_setup, .call = ed448_sign_call, .rekey = cs_setup_again, .teardown = sexp_teardown},
    {.id = "ed448/verify", .impl = "default", .name = "gcry_pk_verify Ed448", .setup = ed448_verify_setup, .call = ed448_verify_call, .rekey = cs_setup_again, .teardown = sexp_teardown},
    {.id = "x448/keygen", .impl = "default", .name = "gcry_pk_genkey", .setup = keygen_setup, .call = keygen_call, .teardown = sexp_teardown, .param = &(const struct genkey){"(genkey(ecc(curve X448)))", put_x448, 0}, .seed = ecdsa_seed},
    {.id = "ed448/keygen", .impl = "default", .name = "gcry_pk_genkey", .setup = keygen_setup, .call = keygen_call, .teardown = sexp_teardown, .param = &(const struct genkey){"(genkey(ecc(curve Ed448)))", put_ed448, 0}, .seed = ecdsa_seed},
};
/* clang-format on */

const cs_table libgcrypt_curve448 = CS_TABLE(rows);
