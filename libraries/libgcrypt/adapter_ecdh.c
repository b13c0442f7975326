/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: key agreement on the curves of NIST, which is the decryption of a point, as GnuPG calls it.
 *
 * Entry points: gcry_pk_decrypt, gcry_sexp_*.
 */
#include <string.h>

#include "adapter_nist.h"

struct agreement {
    gcry_sexp_t key;
    gcry_sexp_t point;
};

void ecdh_teardown(cs_case *c)
{
    struct agreement *s = c->state;

    gcry_sexp_release(s->point);
    gcry_sexp_release(s->key);
    cs_free(s);
    c->state = NULL;
}

int ecdh_setup(cs_case *c)
{
    const char *form = c->op->param;
    struct agreement *s = cs_alloc(sizeof *s);
    gcry_error_t error;

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    c->out_len = c->key.len;
    error = gcry_sexp_build(&s->key, NULL, form, (int)c->key.len, c->key.data);
    if (error == 0)
        error = gcry_sexp_build(&s->point, NULL, "(enc-val(ecdh(e %b)))", (int)c->pub.len, c->pub.data);
    if (error == 0)
        return CS_OK;
    ecdh_teardown(c);
    return fail("gcry_sexp_build", error);
}

/* The shared point comes whole, as bytes in an S-expression; its x is the secret. */
int ecdh_call(cs_case *c)
{
    const struct agreement *s = c->state;
    gcry_sexp_t plain = NULL, value;
    gcry_error_t error = gcry_pk_decrypt(&plain, s->point, s->key);
    const char *point;
    size_t len = 0;
    int status = CS_OK;

    if (error != 0)
        return gcry_err_code(error) == GPG_ERR_INV_DATA || gcry_err_code(error) == GPG_ERR_BAD_PUBKEY ||
                       gcry_err_code(error) == GPG_ERR_INV_OBJ
                   ? CS_BAD_KEY
                   : fail("gcry_pk_decrypt", error);
    value = gcry_sexp_find_token(plain, "value", 0);
    point = gcry_sexp_nth_data(value != NULL ? value : plain, value != NULL ? 1 : 0, &len);
    if (point != NULL && len == 2 * c->out_len + 1)
        memcpy(c->out, point + 1, c->out_len);
    else
        status = cs_fail("the shared point has another length");
    gcry_sexp_release(value);
    gcry_sexp_release(plain);
    return status;
}
