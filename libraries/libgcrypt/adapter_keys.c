/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: key generation. The library draws from its own generator; there is no way to give it a seed.
 *
 * Entry points: gcry_pk_genkey, gcry_sexp_*.
 */
#include <string.h>

#include "adapter.h"

enum { KEY_25519 = 32 };

int keygen_setup(cs_case *c)
{
    const struct genkey *kind = c->op->param;
    gcry_sexp_t request = NULL;
    gcry_error_t error = gcry_sexp_new(&request, kind->request, 0, 1);

    c->state = request;
    return error == 0 ? CS_OK : fail("gcry_sexp_new", error);
}

void sexp_teardown(cs_case *c)
{
    gcry_sexp_release(c->state);
    c->state = NULL;
}

int keygen_call(cs_case *c)
{
    const struct genkey *kind = c->op->param;
    gcry_sexp_t pair = NULL;
    gcry_error_t error = gcry_pk_genkey(&pair, c->state);
    int status;

    if (error != 0)
        return fail("gcry_pk_genkey", error);
    status = kind->put(c, pair);
    gcry_sexp_release(pair);
    return status;
}

/* The bytes of a value of the private key, as they stand; copied nowhere. `list` is to be released after use. */
static cs_span bytes_of(gcry_sexp_t pair, const char *name, gcry_sexp_t *list)
{
    cs_span found = {NULL, 0};
    gcry_sexp_t private_key = gcry_sexp_find_token(pair, "private-key", 0);

    *list = private_key == NULL ? NULL : gcry_sexp_find_token(private_key, name, 0);
    gcry_sexp_release(private_key);
    if (*list != NULL)
        found.data = (const uint8_t *)gcry_sexp_nth_data(*list, 1, &found.len);
    return found;
}

/* Writes such a number as `len` bytes. A value is signed: a zero byte may lead it. */
static int put_number(gcry_sexp_t pair, const char *name, uint8_t *out, size_t len)
{
    gcry_sexp_t list;
    cs_span number = bytes_of(pair, name, &list);
    int status = number.data == NULL ? cs_fail("the pair lacks a number") : cs_put_number(out, len, number);

    gcry_sexp_release(list);
    return status;
}

/* The last `len` bytes of a public point; a byte that names its form leads them. */
static int put_point(gcry_sexp_t pair, uint8_t *out, size_t len)
{
    gcry_sexp_t list;
    cs_span point = bytes_of(pair, "q", &list);
    int fits = point.data != NULL && (point.len == len || point.len == len + 1);

    if (fits)
        memcpy(out, point.data + point.len - len, len);
    gcry_sexp_release(list);
    return fits ? CS_OK : cs_fail("the public point has another length");
}

/* Libgcrypt has the scalar as a number, most significant byte first. */
static int put_x25519(cs_case *c, gcry_sexp_t pair)
{
    c->out_len = 2 * KEY_25519;
    if (put_number(pair, "d", c->out, KEY_25519) != CS_OK)
        return CS_ERROR;
    for (size_t i = 0; i < KEY_25519 / 2; i++) {
        uint8_t byte = c->out[i];
        c->out[i] = c->out[KEY_25519 - 1 - i];
        c->out[KEY_25519 - 1 - i] = byte;
    }
    return put_point(pair, c->out + KEY_25519, KEY_25519);
}

static int put_ed25519(cs_case *c, gcry_sexp_t pair)
{
    c->out_len = 2 * KEY_25519;
    if (put_number(pair, "d", c->out, KEY_25519) != CS_OK)
        return CS_ERROR;
    return put_point(pair, c->out + KEY_25519, KEY_25519);
}

static int put_p256(cs_case *c, gcry_sexp_t pair)
{
    c->out_len = CS_P256_BYTES + CS_P256_POINT;
    if (put_number(pair, "d", c->out, CS_P256_BYTES) != CS_OK)
        return CS_ERROR;
    return put_point(pair, c->out + CS_P256_BYTES, CS_P256_POINT);
}

/* The scalar and the point on a curve whose numbers have `bytes` bytes. */
static int put_ec(cs_case *c, gcry_sexp_t pair, size_t bytes)
{
    c->out_len = bytes + 2 * bytes + 1;
    if (put_number(pair, "d", c->out, bytes) != CS_OK)
        return CS_ERROR;
    return put_point(pair, c->out + bytes, 2 * bytes + 1);
}

static int put_p384(cs_case *c, gcry_sexp_t pair)
{
    return put_ec(c, pair, CS_P384_BYTES);
}

static int put_p521(cs_case *c, gcry_sexp_t pair)
{
    return put_ec(c, pair, CS_P521_BYTES);
}

/* dP or dQ, which Libgcrypt does not keep: d mod (prime - 1). */
static int put_exponent(gcry_sexp_t pair, const char *prime, uint8_t *out, size_t part)
{
    gcry_mpi_t p = NULL, d = NULL;
    gcry_error_t error = gcry_sexp_extract_param(pair, "private-key!rsa", prime, &p, NULL);
    size_t len = 0;
    uint8_t number[CS_RSA_MODULUS_MAX / 2];

    if (error == 0)
        error = gcry_sexp_extract_param(pair, "private-key!rsa", "d", &d, NULL);
    if (error == 0) {
        gcry_mpi_sub_ui(p, p, 1);
        gcry_mpi_mod(d, d, p);
        error = gcry_mpi_print(GCRYMPI_FMT_USG, number, sizeof number, &len, d);
    }
    gcry_mpi_release(p);
    gcry_mpi_release(d);
    return error == 0 ? cs_put_number(out, part, (cs_span){number, len}) : fail("private exponent", error);
}

/* Libgcrypt keeps u = 1/p mod q: its q is the standard's p. */
static int put_rsa(cs_case *c, gcry_sexp_t pair)
{
    const struct genkey *kind = c->op->param;
    size_t part = CS_RSA_PART_OF(kind->bits);
    uint8_t *at = c->out;

    c->out_len = CS_RSA_PAIR_OF(kind->bits);
    if (put_number(pair, "q", at + CS_CRT_P * part, part) != CS_OK ||
        put_number(pair, "p", at + CS_CRT_Q * part, part) != CS_OK ||
        put_exponent(pair, "q", at + CS_CRT_DP * part, part) != CS_OK ||
        put_exponent(pair, "p", at + CS_CRT_DQ * part, part) != CS_OK ||
        put_number(pair, "u", at + CS_CRT_QINV * part, part) != CS_OK)
        return CS_ERROR;
    at += CS_CRT_PARTS * part;
    if (put_number(pair, "n", at, 2 * part) != CS_OK)
        return CS_ERROR;
    return put_number(pair, "e", at + 2 * part, CS_RSA_EXPONENT);
}

#define KEYGEN_ROW(ALGORITHM, ...)                                                                                     \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "gcry_pk_genkey",                                                                                         \
     .setup = keygen_setup,                                                                                            \
     .call = keygen_call,                                                                                              \
     .teardown = sexp_teardown,                                                                                        \
     .param = &(const struct genkey)__VA_ARGS__,                                                                       \
     .seed = ecdsa_seed}
#define RSA_KEYGEN_ROW(NUMBER, BITS)                                                                                   \
    KEYGEN_ROW("rsa-" NUMBER, {"(genkey(rsa(nbits 4:" NUMBER ")(rsa-use-e 5:65537)))", put_rsa, BITS})

static const cs_op rows[] = {
    KEYGEN_ROW("x25519", {"(genkey(ecc(curve Curve25519)(flags djb-tweak comp)))", put_x25519, 0}),
    KEYGEN_ROW("ed25519", {"(genkey(ecc(curve Ed25519)(flags eddsa comp)))", put_ed25519, 0}),
    KEYGEN_ROW("p-256", {"(genkey(ecc(curve \"NIST P-256\")))", put_p256, 0}),
    KEYGEN_ROW("secp256k1", {"(genkey(ecc(curve secp256k1)))", put_p256, 0}),
    KEYGEN_ROW("brainpool-p256", {"(genkey(ecc(curve brainpoolP256r1)))", put_p256, 0}),
    KEYGEN_ROW("p-384", {"(genkey(ecc(curve \"NIST P-384\")))", put_p384, 0}),
    KEYGEN_ROW("p-521", {"(genkey(ecc(curve \"NIST P-521\")))", put_p521, 0}),
    RSA_KEYGEN_ROW("2048", 2048),
    RSA_KEYGEN_ROW("3072", 3072),
    RSA_KEYGEN_ROW("4096", 4096),
};

const cs_table libgcrypt_keys = CS_TABLE(rows);
