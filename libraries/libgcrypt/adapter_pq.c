/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: ML-DSA, of 1.12 and later. Keys are S-expressions made in setup; the library reads them again in every
 * call. A private key is generated of its seed, which the library keeps beside it.
 *
 * Entry points: gcry_pk_genkey, gcry_pk_sign, gcry_pk_verify, gcry_sexp_*.
 */
#include <limits.h>
#include <string.h>

#include "adapter.h"

#if GCRYPT_VERSION_NUMBER >= 0x010c00

/* A parameter set: its S-expressions, which begin with the library's name for it, and the bytes of its values. */
struct mldsa {
    const char *request;
    const char *public_form;
    const char *signature_form;
    size_t public_len, signature_len;
    const char *data_form;
};

enum { SEED = 32 };

/* `framed` is what is signed: 0, the length of the empty context, and the message (FIPS 204 algorithm 2 line 10). The
 * library makes it of a context that is given, and takes none that is empty: an S-expression has no empty strings. */
struct signer {
    gcry_sexp_t key;
    cs_span seed;
    size_t framed_len;
    uint8_t framed[];
};

enum { FRAME = 2 };

static void mldsa_teardown(cs_case *c)
{
    struct signer *s = c->state;

    gcry_sexp_release(s->key);
    cs_free(s);
    c->state = NULL;
}

static int give_up(cs_case *c, const char *entry_point, gcry_error_t error)
{
    mldsa_teardown(c);
    return fail(entry_point, error);
}

static struct signer *open_signer(cs_case *c)
{
    struct signer *s;

    if (c->msg.len > INT_MAX - FRAME || c->sig.len > INT_MAX) {
        (void)cs_fail("the message or the signature is too long");
        return NULL;
    }
    s = cs_alloc(sizeof *s + FRAME + c->msg.len);
    if (s != NULL)
        s->framed_len = FRAME + c->msg.len;
    c->state = s;
    return s;
}

static int mldsa_keygen_setup(cs_case *c)
{
    struct signer *s = open_signer(c);

    if (s == NULL)
        return CS_ERROR;
    s->seed = cs_input(c, "seed");
    c->out_len = SEED + ((const struct mldsa *)c->op->param)->public_len;
    return CS_OK;
}

/* Copies a value of an S-expression, which has `len` bytes, to `out`. */
static int put(gcry_sexp_t list, const char *value, uint8_t *out, size_t len)
{
    gcry_buffer_t buffer = {.size = len, .data = out};
    gcry_error_t error = gcry_sexp_extract_param(list, NULL, value, &buffer, NULL);

    if (error != 0)
        return fail("gcry_sexp_extract_param", error);
    return buffer.len == len ? CS_OK : cs_fail("a value has another length");
}

/* gcry_pk_genkey asks for the seed: where it finds none, 1.12 fails before it would draw one. */
static gcry_error_t generate(const struct mldsa *set, const uint8_t *seed, gcry_sexp_t *pair)
{
    gcry_sexp_t request = NULL;
    gcry_error_t error = gcry_sexp_build(&request, NULL, set->request, SEED, seed);

    if (error == 0)
        error = gcry_pk_genkey(pair, request);
    gcry_sexp_release(request);
    return error;
}

static int mldsa_keygen_call(cs_case *c)
{
    const struct mldsa *set = c->op->param;
    const struct signer *s = c->state;
    gcry_sexp_t pair = NULL;
    gcry_error_t error;
    uint8_t drawn[SEED];
    int status;

    if (s->seed.data == NULL)
        gcry_randomize(drawn, sizeof drawn, GCRY_VERY_STRONG_RANDOM);
    error = generate(set, s->seed.data == NULL ? drawn : s->seed.data, &pair);
    if (error != 0)
        return fail("gcry_pk_genkey", error);
    status = put(pair, "&S", c->out, SEED) | put(pair, "&p", c->out + SEED, set->public_len);
    gcry_sexp_release(pair);
    return status;
}

static int mldsa_sign_setup(cs_case *c)
{
    const struct mldsa *set = c->op->param;
    struct signer *s = open_signer(c);
    gcry_sexp_t pair = NULL;
    gcry_error_t error;

    if (s == NULL)
        return CS_ERROR;
    c->out_len = set->signature_len;
    error = generate(set, c->key.data, &pair);
    if (error == 0)
        s->key = gcry_sexp_find_token(pair, "private-key", 0);
    gcry_sexp_release(pair);
    return error == 0 ? CS_OK : give_up(c, "gcry_pk_genkey", error);
}

static gcry_error_t framed(cs_case *c, gcry_sexp_t *data)
{
    struct signer *s = c->state;

    memcpy(s->framed + FRAME, c->msg.data, c->msg.len);
    return gcry_sexp_build(data, NULL, ((const struct mldsa *)c->op->param)->data_form, (int)s->framed_len, s->framed);
}

static int mldsa_sign_call(cs_case *c)
{
    const struct mldsa *set = c->op->param;
    const struct signer *s = c->state;
    gcry_sexp_t data = NULL, signature = NULL;
    gcry_error_t error = framed(c, &data);
    int status;

    if (error == 0)
        error = gcry_pk_sign(&signature, data, s->key);
    gcry_sexp_release(data);
    if (error != 0)
        return fail("gcry_pk_sign", error);
    status = put(signature, "&s", c->out, set->signature_len);
    gcry_sexp_release(signature);
    return status;
}

static int mldsa_verify_setup(cs_case *c)
{
    const struct mldsa *set = c->op->param;
    struct signer *s = open_signer(c);
    gcry_error_t error;

    if (s == NULL)
        return CS_ERROR;
    error = gcry_sexp_build(&s->key, NULL, set->public_form, (int)c->pub.len, c->pub.data);
    return error == 0 ? CS_OK : give_up(c, "gcry_sexp_build", error);
}

static int mldsa_verify_call(cs_case *c)
{
    const struct mldsa *set = c->op->param;
    const struct signer *s = c->state;
    gcry_sexp_t data = NULL, signature = NULL;
    gcry_error_t error = framed(c, &data);

    if (error == 0)
        error = gcry_sexp_build(&signature, NULL, set->signature_form, (int)c->sig.len, c->sig.data);
    if (error == 0)
        error = gcry_pk_verify(signature, data, s->key);
    gcry_sexp_release(signature);
    gcry_sexp_release(data);
    if (error == 0)
        return CS_OK;
    return gcry_err_code(error) == GPG_ERR_BAD_SIGNATURE ? CS_REJECTED : fail("gcry_pk_verify", error);
}

/* The numbers of FIPS 204: what the library calls it, bytes of a public key and of a signature. */
#define ML_DSA_44(DATA) ML_DSA_SET("dilithium2", 1312, 2420, DATA)
#define ML_DSA_65(DATA) ML_DSA_SET("dilithium3", 1952, 3309, DATA)
#define ML_DSA_87(DATA) ML_DSA_SET("dilithium5", 2592, 4627, DATA)
#define ML_DSA_SET(NAME, PUBLIC, SIGNATURE, DATA)                                                                      \
    &(const struct mldsa){                                                                                             \
        "(genkey(" NAME "(S%b)))", "(public-key(" NAME "(p%b)))", "(sig-val(" NAME "(s%b)))", PUBLIC, SIGNATURE, DATA}

/* Where the 32 random bytes of a signature come from: the library's generator, or they are zeros (FIPS 204 3.4). */
#define ML_DSA_HEDGED "(data(flags no-prefix)(value %b))"
#define ML_DSA_DETERMINISTIC                                                                                           \
    "(data(flags no-prefix)(value %b)(random-override #" ML_DSA_ZEROS ML_DSA_ZEROS ML_DSA_ZEROS ML_DSA_ZEROS "#))"
#define ML_DSA_ZEROS "0000000000000000"

#define ML_DSA_ROW(BITS, VERB, IMPL, NAME, DATA, ...)                                                                  \
    {.id = "ml-dsa-" #BITS "/" #VERB,                                                                                  \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = mldsa_##VERB##_setup,                                                                                    \
     .call = mldsa_##VERB##_call,                                                                                      \
     .teardown = mldsa_teardown,                                                                                       \
     .param = ML_DSA_##BITS(DATA),                                                                                     \
     __VA_ARGS__}
#define ML_DSA_ROWS_OF(BITS)                                                                                           \
    ML_DSA_ROW(BITS, keygen, "default", "gcry_randomize, gcry_pk_genkey", NULL, .seed = ecdsa_seed, .seeded = 1),      \
        ML_DSA_ROW(BITS, sign, "default", "gcry_pk_sign", ML_DSA_HEDGED, .rekey = cs_setup_again, .seed = ecdsa_seed), \
        ML_DSA_ROW(BITS, sign, "deterministic", "gcry_pk_sign, random-override", ML_DSA_DETERMINISTIC,                 \
                   .rekey = cs_setup_again),                                                                           \
        ML_DSA_ROW(BITS, verify, "default", "gcry_pk_verify", ML_DSA_HEDGED, .rekey = cs_setup_again)

static const cs_op rows[] = {ML_DSA_ROWS_OF(44), ML_DSA_ROWS_OF(65), ML_DSA_ROWS_OF(87)};

const cs_table libgcrypt_pq = CS_TABLE(rows);

#else
const cs_table libgcrypt_pq = {NULL, 0};
#endif
