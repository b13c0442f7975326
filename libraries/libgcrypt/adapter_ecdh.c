/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: key agreement on the curves of NIST, secp256k1 and brainpoolP256r1, which is the decryption of a point, as
 * GnuPG calls it; and with ephemeral keys, on Curve25519 too.
 *
 * Entry points: gcry_pk_genkey, gcry_pk_decrypt, gcry_ecc_mul_point, gcry_randomize, gcry_sexp_*.
 */
#include <string.h>

#include "adapter.h"

enum { X25519_BYTES = 32 };

struct agreement {
    gcry_sexp_t key;
    gcry_sexp_t point;
};

static void ecdh_teardown(cs_case *c)
{
    struct agreement *s = c->state;

    gcry_sexp_release(s->point);
    gcry_sexp_release(s->key);
    cs_free(s);
    c->state = NULL;
}

static int ecdh_setup(cs_case *c)
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

static int is_bad_point(gcry_error_t error)
{
    const gcry_err_code_t code = gcry_err_code(error);

    return code == GPG_ERR_INV_DATA || code == GPG_ERR_BAD_PUBKEY || code == GPG_ERR_INV_OBJ;
}

/* The shared point comes whole, as bytes in an S-expression; its x, of `bytes`, is the secret. */
static int put_secret(gcry_sexp_t point, gcry_sexp_t key, uint8_t *out, size_t bytes)
{
    gcry_sexp_t plain = NULL, value;
    gcry_error_t error = gcry_pk_decrypt(&plain, point, key);
    const char *shared;
    size_t len = 0;
    int status = CS_OK;

    if (error != 0)
        return is_bad_point(error) ? CS_BAD_KEY : fail("gcry_pk_decrypt", error);
    value = gcry_sexp_find_token(plain, "value", 0);
    shared = gcry_sexp_nth_data(value != NULL ? value : plain, value != NULL ? 1 : 0, &len);
    if (shared != NULL && len == 2 * bytes + 1)
        memcpy(out, shared + 1, bytes);
    else
        status = cs_fail("the shared point has another length");
    gcry_sexp_release(value);
    gcry_sexp_release(plain);
    return status;
}

static int ecdh_call(cs_case *c)
{
    const struct agreement *s = c->state;

    return put_secret(s->point, s->key, c->out, c->out_len);
}

/* ---- ephemeral keys ---- */

static int x25519_agree_setup(cs_case *c)
{
    c->out_len = 2 * (size_t)X25519_BYTES;
    return CS_OK;
}

/* Without a point the base point is multiplied. */
static int x25519_agree_call(cs_case *c)
{
    uint8_t key[X25519_BYTES];
    gcry_error_t error;

    gcry_randomize(key, sizeof key, GCRY_STRONG_RANDOM);
    error = gcry_ecc_mul_point(GCRY_ECC_CURVE25519, c->out, key, NULL);
    if (error == 0)
        error = gcry_ecc_mul_point(GCRY_ECC_CURVE25519, c->out + X25519_BYTES, key, c->pub.data);
    return error == 0 ? CS_OK : fail("gcry_ecc_mul_point", error);
}

/* The public point of a pair, at the output. */
static int put_own(cs_case *c, gcry_sexp_t key)
{
    gcry_sexp_t list = gcry_sexp_find_token(key, "q", 0);
    size_t len = 0;
    const char *point = list != NULL ? gcry_sexp_nth_data(list, 1, &len) : NULL;
    const int fits = point != NULL && len == c->pub.len;

    if (fits)
        memcpy(c->out, point, len);
    gcry_sexp_release(list);
    return fits ? CS_OK : cs_fail("the public point has another length");
}

static int agree_call(cs_case *c)
{
    gcry_sexp_t pair = NULL, key, point = NULL;
    gcry_error_t error = gcry_pk_genkey(&pair, c->state);
    const size_t bytes = (c->pub.len - 1) / 2;
    int status;

    if (error != 0)
        return fail("gcry_pk_genkey", error);
    key = gcry_sexp_find_token(pair, "private-key", 0);
    status = key != NULL ? put_own(c, key) : cs_fail("the pair has no private key");
    if (status == CS_OK) {
        error = gcry_sexp_build(&point, NULL, "(enc-val(ecdh(e %b)))", (int)c->pub.len, c->pub.data);
        status = error == 0 ? put_secret(point, key, c->out + c->pub.len, bytes) : fail("gcry_sexp_build", error);
    }
    gcry_sexp_release(point);
    gcry_sexp_release(key);
    gcry_sexp_release(pair);
    c->out_len = c->pub.len + bytes;
    return status;
}

/* clang-format off */
#define ECDH_ROW(CURVE, NAME)                                                                                          \
    {.id = CURVE "/derive", .impl = "default", .name = "gcry_pk_decrypt ECDH NIST " NAME, .setup = ecdh_setup, .call = ecdh_call, .rekey = cs_setup_again, .teardown = ecdh_teardown, .param = "(private-key(ecc(curve \"NIST " NAME "\")(d %b)))", .seed = ecdsa_seed}
/* transient-key: of keys that serve one message, says the manual. */
#define AGREE_ROW(CURVE, NAME)                                                                                         \
    {.id = CURVE "/agree", .impl = "default", .name = "gcry_pk_genkey, gcry_pk_decrypt ECDH NIST " NAME, .setup = keygen_setup, .call = agree_call, .rekey = cs_key_in_call, .teardown = sexp_teardown, .param = &(const struct genkey){"(genkey(ecc(curve \"NIST " NAME "\")(flags transient-key)))", NULL, 0}, .seed = ecdsa_seed}

static const cs_op rows[] = {
    ECDH_ROW("p-256", "P-256"), ECDH_ROW("p-384", "P-384"), ECDH_ROW("p-521", "P-521"),
    {.id = "secp256k1/derive", .impl = "default", .name = "gcry_pk_decrypt ECDH secp256k1", .setup = ecdh_setup, .call = ecdh_call, .rekey = cs_setup_again, .teardown = ecdh_teardown, .param = "(private-key(ecc(curve secp256k1)(d %b)))", .seed = ecdsa_seed},
    {.id = "brainpool-p256/derive", .impl = "default", .name = "gcry_pk_decrypt ECDH brainpoolP256r1", .setup = ecdh_setup, .call = ecdh_call, .rekey = cs_setup_again, .teardown = ecdh_teardown, .param = "(private-key(ecc(curve brainpoolP256r1)(d %b)))", .seed = ecdsa_seed},
    {.id = "x25519/agree", .impl = "default", .name = "gcry_ecc_mul_point", .setup = x25519_agree_setup, .call = x25519_agree_call, .rekey = cs_key_in_call, .seed = ecdsa_seed},
    AGREE_ROW("p-256", "P-256"), AGREE_ROW("p-384", "P-384"),
};
/* clang-format on */

const cs_table libgcrypt_ecdh = CS_TABLE(rows);
