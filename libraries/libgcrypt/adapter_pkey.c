/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: key agreement and signatures.
 *
 * Public keys are S-expressions built in setup; the library reads them again in every call.
 * Entry points: gcry_ecc_mul_point, gcry_pk_sign, gcry_pk_verify, gcry_sexp_*.
 */
#include <limits.h>

#include "adapter.h"

/* ---- dh ---- */

static int x25519_setup(cs_case *c)
{
    unsigned int bytes = gcry_ecc_get_algo_keylen(GCRY_ECC_CURVE25519);

    c->out_len = bytes;
    return CS_OK;
}

static int x25519_call(cs_case *c)
{
    gcry_error_t error = gcry_ecc_mul_point(GCRY_ECC_CURVE25519, c->out, c->key.data, c->pub.data);

    return error == 0 ? CS_OK : fail("gcry_ecc_mul_point", error);
}

/* Without a point it takes the generator. */
static int x25519_base_call(cs_case *c)
{
    gcry_error_t error = gcry_ecc_mul_point(GCRY_ECC_CURVE25519, c->out, c->key.data, NULL);

    return error == 0 ? CS_OK : fail("gcry_ecc_mul_point", error);
}

/* ---- sig ---- */

/* Bytes of each half of a signature of Ed25519: R and S. */
enum { HALF_BYTES = 32 };

struct signer {
    gcry_sexp_t key;
    gcry_md_hd_t hash;     /* ECDSA only: Ed25519 hashes inside the library */
    const char *data_form; /* Ed25519 only: how the message is wrapped */
};

static void sig_teardown(cs_case *c)
{
    struct signer *s = c->state;

    gcry_md_close(s->hash);
    gcry_sexp_release(s->key);
    cs_free(s);
    c->state = NULL;
}

static int sig_give_up(cs_case *c, const char *entry_point, gcry_error_t error)
{
    sig_teardown(c);
    return fail(entry_point, error);
}

/* Builds the key from `form`, which takes the public value and then, for a private key, the private one. */
static int sig_setup(cs_case *c, const char *form)
{
    struct signer *s = cs_alloc(sizeof *s);
    gcry_error_t error;

    c->state = s;
    if (s == NULL)
        return CS_ERROR;
    if (c->msg.len > INT_MAX)
        return sig_give_up(c, "message", gcry_error(GPG_ERR_TOO_LARGE));
    error = gcry_sexp_build(&s->key, NULL, form, (int)c->pub.len, c->pub.data, (int)c->key.len, c->key.data);
    if (error != 0)
        return sig_give_up(c, "gcry_sexp_build", error);
    /* S-expressions have no empty strings: an empty message is a list without a value. */
    s->data_form = c->msg.len != 0 ? "(data(flags eddsa)(hash-algo sha512)(value %b))"
                                   : "(data(flags eddsa)(hash-algo sha512)(value))";
    return CS_OK;
}

const char *ecdsa_seed(void)
{
    uint8_t byte;

    gcry_randomize(&byte, sizeof byte, GCRY_STRONG_RANDOM);
    return NULL;
}

/* The S-expressions of ECDSA on a curve: what is filled with the public value, and then the private one, or the digest.
 * How the hash is wrapped says where ECDSA takes its secret number from: the library's generator, which is the default,
 * or the key and the hash as in RFC 6979. A row's `param`. */
struct ecdsa {
    const char *private_form;
    const char *public_form;
    const char *data_form;
    size_t bytes; /* of r and of s */
    int digest;   /* the library's number of the hash, and its length */
    int digest_len;
};

/* What all rows of a curve share, and how their hash is wrapped. */
#define ECDSA_FORMS(CURVE, FLAGS, HASH)                                                                                \
    .private_form = "(private-key(ecc(curve " CURVE ")(q %b)(d %b)))",                                                 \
    .public_form = "(public-key(ecc(curve " CURVE ")(q %b)))",                                                         \
    .data_form = "(data(flags " FLAGS ")(hash " HASH " %b))"
#define ECDSA_256(CURVE, FLAGS)                                                                                        \
    {ECDSA_FORMS(CURVE, FLAGS, "sha256"), .bytes = CS_P256_BYTES, .digest = GCRY_MD_SHA256, .digest_len = 32}
#define ECDSA_384(FLAGS)                                                                                               \
    {ECDSA_FORMS("\"NIST P-384\"", FLAGS, "sha384"), .bytes = CS_P384_BYTES, .digest = GCRY_MD_SHA384, .digest_len = 48}
#define ECDSA_521(FLAGS)                                                                                               \
    {ECDSA_FORMS("\"NIST P-521\"", FLAGS, "sha512"), .bytes = CS_P521_BYTES, .digest = GCRY_MD_SHA512, .digest_len = 64}

static const struct ecdsa ecdsa_p256 = ECDSA_256("\"NIST P-256\"", "raw");
static const struct ecdsa ecdsa_p256_rfc6979 = ECDSA_256("\"NIST P-256\"", "rfc6979");
static const struct ecdsa ecdsa_secp256k1 = ECDSA_256("secp256k1", "raw");
static const struct ecdsa ecdsa_secp256k1_rfc6979 = ECDSA_256("secp256k1", "rfc6979");
static const struct ecdsa ecdsa_brainpool = ECDSA_256("brainpoolP256r1", "raw");
static const struct ecdsa ecdsa_brainpool_rfc6979 = ECDSA_256("brainpoolP256r1", "rfc6979");
static const struct ecdsa ecdsa_p384 = ECDSA_384("raw"), ecdsa_p384_rfc6979 = ECDSA_384("rfc6979");
static const struct ecdsa ecdsa_p521 = ECDSA_521("raw"), ecdsa_p521_rfc6979 = ECDSA_521("rfc6979");

static int ecdsa_setup(cs_case *c, const char *form)
{
    const struct ecdsa *of = c->op->param;
    struct signer *s;
    gcry_error_t error;

    if (cs_point(c->pub, of->bytes) != CS_OK || sig_setup(c, form) != CS_OK)
        return CS_ERROR;
    s = c->state;
    error = gcry_md_open(&s->hash, of->digest, 0);
    return error == 0 ? CS_OK : sig_give_up(c, "gcry_md_open", error);
}

static int ecdsa_sign_setup(cs_case *c)
{
    const struct ecdsa *of = c->op->param;

    c->out_len = 2 * of->bytes;
    return ecdsa_setup(c, of->private_form);
}

static int ecdsa_verify_setup(cs_case *c)
{
    return ecdsa_setup(c, ((const struct ecdsa *)c->op->param)->public_form);
}

static int ed25519_sign_setup(cs_case *c)
{
    c->out_len = 2 * HALF_BYTES;
    return sig_setup(c, "(private-key(ecc(curve Ed25519)(flags eddsa)(q %b)(d %b)))");
}

static int ed25519_verify_setup(cs_case *c)
{
    return sig_setup(c, "(public-key(ecc(curve Ed25519)(flags eddsa)(q %b)))");
}

static gcry_error_t ecdsa_data(cs_case *c, gcry_sexp_t *data)
{
    struct signer *s = c->state;
    const struct ecdsa *of = c->op->param;

    gcry_md_reset(s->hash);
    gcry_md_write(s->hash, c->msg.data, c->msg.len);
    return gcry_sexp_build(data, NULL, of->data_form, of->digest_len, gcry_md_read(s->hash, 0));
}

static gcry_error_t ed25519_data(cs_case *c, gcry_sexp_t *data)
{
    struct signer *s = c->state;

    return gcry_sexp_build(data, NULL, s->data_form, (int)c->msg.len, c->msg.data);
}

/* Writes r or s as `bytes` bytes. */
static int put_half(uint8_t *out, size_t bytes, const gcry_buffer_t *number)
{
    return cs_put_number(out, bytes, (cs_span){.data = number->data, .len = number->len});
}

/* Signs and takes r and s, as the S-expression holds them, to caller's buffers. Frees `data`. */
static gcry_error_t sign(cs_case *c, gcry_sexp_t data, gcry_buffer_t *r, gcry_buffer_t *s)
{
    struct signer *signer = c->state;
    gcry_sexp_t signature = NULL;
    gcry_error_t error = gcry_pk_sign(&signature, data, signer->key);

    gcry_sexp_release(data);
    if (error == 0)
        error = gcry_sexp_extract_param(signature, NULL, "&rs", r, s, NULL);
    gcry_sexp_release(signature);
    return error;
}

/* ECDSA numbers are signed in the S-expression: up to one byte longer, leading zeros left out. */
static int ecdsa_sign_call(cs_case *c)
{
    const size_t bytes = ((const struct ecdsa *)c->op->param)->bytes;
    uint8_t space[2][CS_P521_BYTES + 1];
    gcry_buffer_t r = {.size = sizeof space[0], .data = space[0]};
    gcry_buffer_t s = {.size = sizeof space[1], .data = space[1]};
    gcry_sexp_t data = NULL;
    gcry_error_t error = ecdsa_data(c, &data);

    if (error == 0)
        error = sign(c, data, &r, &s);
    if (error != 0)
        return fail("gcry_pk_sign", error);
    return put_half(c->out, bytes, &r) | put_half(c->out + bytes, bytes, &s);
}

static int ed25519_sign_call(cs_case *c)
{
    gcry_buffer_t r = {.size = HALF_BYTES, .data = c->out};
    gcry_buffer_t s = {.size = HALF_BYTES, .data = c->out + HALF_BYTES};
    gcry_sexp_t data = NULL;
    gcry_error_t error = ed25519_data(c, &data);

    if (error == 0)
        error = sign(c, data, &r, &s);
    if (error != 0)
        return fail("gcry_pk_sign", error);
    return r.len == HALF_BYTES && s.len == HALF_BYTES ? CS_OK : cs_fail("signature has the wrong length");
}

/* Builds the signature from `form` and verifies. Frees `data`. */
static int verify(cs_case *c, gcry_sexp_t data, const char *form)
{
    struct signer *signer = c->state;
    const int half = (int)(c->sig.len / 2);
    gcry_sexp_t signature = NULL;
    gcry_error_t error = gcry_sexp_build(&signature, NULL, form, half, c->sig.data, half, c->sig.data + half);

    if (error == 0)
        error = gcry_pk_verify(signature, data, signer->key);
    gcry_sexp_release(signature);
    gcry_sexp_release(data);
    if (error == 0)
        return CS_OK;
    return gcry_err_code(error) == GPG_ERR_BAD_SIGNATURE ? CS_REJECTED : fail("gcry_pk_verify", error);
}

/* An S-expression holds the halves apart: the signature is cut in two here, which only one length allows. */
static int ecdsa_verify_call(cs_case *c)
{
    gcry_sexp_t data = NULL;
    gcry_error_t error;

    if (c->sig.len != 2 * ((const struct ecdsa *)c->op->param)->bytes)
        return CS_REJECTED;
    error = ecdsa_data(c, &data);
    return error == 0 ? verify(c, data, "(sig-val(ecdsa(r %b)(s %b)))") : fail("gcry_sexp_build", error);
}

static int ed25519_verify_call(cs_case *c)
{
    gcry_sexp_t data = NULL;
    gcry_error_t error;

    if (c->sig.len != 2 * HALF_BYTES)
        return CS_REJECTED;
    error = ed25519_data(c, &data);
    return error == 0 ? verify(c, data, "(sig-val(eddsa(r %b)(s %b)))") : fail("gcry_sexp_build", error);
}

/* clang-format off */
#define ECDSA_ROWS(ALGORITHM, NAME, KIND)                                                                              \
    {.id = ALGORITHM "/sign", .impl = "default", .name = "gcry_pk_sign " NAME, .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &(KIND), .form = "p1363", .seed = ecdsa_seed}, \
    {.id = ALGORITHM "/sign", .impl = "rfc6979", .name = "gcry_pk_sign " NAME " (flags rfc6979)", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &(KIND##_rfc6979), .form = "p1363", .seed = ecdsa_seed}, \
    {.id = ALGORITHM "/verify", .impl = "default", .name = "gcry_pk_verify " NAME, .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &(KIND), .form = "p1363"}

static const cs_op rows[] = {
    {.id = "x25519/multiply-base", .impl = "default", .name = "gcry_ecc_mul_point Curve25519, NULL", .setup = x25519_setup, .call = x25519_base_call},
    {.id = "x25519/derive", .impl = "default", .name = "gcry_ecc_mul_point Curve25519", .setup = x25519_setup, .call = x25519_call, .rekey = cs_key_in_call},
    {.id = "ed25519/sign", .impl = "default", .name = "gcry_pk_sign Ed25519", .setup = ed25519_sign_setup, .call = ed25519_sign_call, .rekey = cs_setup_again, .teardown = sig_teardown},
    {.id = "ed25519/verify", .impl = "default", .name = "gcry_pk_verify Ed25519", .setup = ed25519_verify_setup, .call = ed25519_verify_call, .rekey = cs_setup_again, .teardown = sig_teardown},
    ECDSA_ROWS("ecdsa-p256-sha256", "NIST P-256", ecdsa_p256),
    ECDSA_ROWS("ecdsa-secp256k1-sha256", "secp256k1", ecdsa_secp256k1),
    ECDSA_ROWS("ecdsa-brainpoolp256r1-sha256", "brainpoolP256r1", ecdsa_brainpool),
    ECDSA_ROWS("ecdsa-p384-sha384", "NIST P-384", ecdsa_p384),
    ECDSA_ROWS("ecdsa-p521-sha512", "NIST P-521", ecdsa_p521),
};
/* clang-format on */

const cs_table libgcrypt_pkey = CS_TABLE(rows);
