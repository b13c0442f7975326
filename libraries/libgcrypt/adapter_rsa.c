/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: RSA signatures and encryption.
 *
 * Keys are S-expressions built in setup; the library reads them again in every call. Messages, signatures and
 * ciphertexts are S-expressions as well, built and taken apart in every call.
 * Entry points: gcry_pk_sign, gcry_pk_verify, gcry_pk_encrypt, gcry_pk_decrypt, gcry_md_*, gcry_sexp_*.
 */
#include <limits.h>
#include <string.h>

#include "adapter.h"

enum { DIGEST = 32 };

/* How what is padded is wrapped, and how a ciphertext is; without a value where there is none, because S-expressions
 * have no empty strings. */
struct rsa_form {
    const char *data;
    const char *empty;
    const char *ciphertext;
};

static const struct rsa_form rsa_pkcs1 = {.data = "(data(flags pkcs1)(hash sha256 %b))"};
static const struct rsa_form rsa_pss = {.data = "(data(flags pss)(salt-length 2:32)(hash sha256 %b))"};
static const struct rsa_form rsa_oaep = {
    .data = "(data(flags oaep)(hash-algo sha256)(value %b))",
    .ciphertext = "(enc-val(flags oaep)(hash-algo sha256)(rsa(a %b)))",
};
static const struct rsa_form rsa_pkcs1_cipher = {
    .data = "(data(flags pkcs1)(value %b))",
    .ciphertext = "(enc-val(flags pkcs1)(rsa(a %b)))",
};

struct rsa {
    gcry_sexp_t key;
    gcry_md_hd_t hash; /* of signatures */
    size_t size;       /* bytes of the modulus */
};

static void rsa_teardown(cs_case *c)
{
    struct rsa *s = c->state;

    gcry_md_close(s->hash);
    gcry_sexp_release(s->key);
    cs_free(s);
    c->state = NULL;
}

static int give_up(cs_case *c, const char *entry_point, gcry_error_t error)
{
    rsa_teardown(c);
    return fail(entry_point, error);
}

/* Libgcrypt wants p < q and u = 1/p mod q: where the standard's p is the larger one, its q is Libgcrypt's p and qInv is
 * u; else u has to be computed. */
static gcry_error_t build_private(gcry_sexp_t *key, const cs_rsa_key *of)
{
    cs_span p = of->part[CS_CRT_Q], q = of->part[CS_CRT_P], u = of->part[CS_CRT_QINV];
    int is_larger = memcmp(q.data, p.data, p.len) > 0;
    gcry_mpi_t small = NULL, large = NULL, inverse = NULL;
    gcry_error_t error;

    if (!is_larger) {
        p = of->part[CS_CRT_P];
        q = of->part[CS_CRT_Q];
    }
    error = gcry_mpi_scan(&small, GCRYMPI_FMT_USG, p.data, p.len, NULL);
    if (error == 0)
        error = gcry_mpi_scan(&large, GCRYMPI_FMT_USG, q.data, q.len, NULL);
    if (error == 0)
        error = gcry_mpi_scan(&inverse, GCRYMPI_FMT_USG, u.data, u.len, NULL);
    if (error == 0 && !is_larger && !gcry_mpi_invm(inverse, small, large))
        error = gcry_error(GPG_ERR_BAD_SECKEY);
    if (error == 0)
        error =
            gcry_sexp_build(key, NULL, "(private-key(rsa(n %b)(e %b)(d %b)(p %m)(q %m)(u %m)))", (int)of->n.len,
                            of->n.data, (int)of->e.len, of->e.data, (int)of->d.len, of->d.data, small, large, inverse);
    gcry_mpi_release(small);
    gcry_mpi_release(large);
    gcry_mpi_release(inverse);
    return error;
}

static gcry_error_t build(gcry_sexp_t *key, const cs_rsa_key *of)
{
    if (of->d.data != NULL)
        return build_private(key, of);
    return gcry_sexp_build(key, NULL, "(public-key(rsa(n %b)(e %b)))", (int)of->n.len, of->n.data, (int)of->e.len,
                           of->e.data);
}

static int setup(cs_case *c, int is_signature)
{
    struct rsa *s = cs_alloc(sizeof *s);
    cs_rsa_key numbers;
    gcry_error_t error;

    c->state = s;
    if (s == NULL)
        return CS_ERROR;
    if (cs_rsa_numbers(c, &numbers) != CS_OK) {
        rsa_teardown(c);
        return CS_ERROR;
    }
    s->size = numbers.n.len;
    c->out_len = c->sig.data == NULL ? s->size : 0; /* nothing comes of verification */
    error = build(&s->key, &numbers);
    if (error != 0)
        return give_up(c, "gcry_sexp_build", error);
    if (!is_signature)
        return CS_OK;
    error = gcry_md_open(&s->hash, GCRY_MD_SHA256, 0);
    return error == 0 ? CS_OK : give_up(c, "gcry_md_open", error);
}

static int rsa_sign_setup(cs_case *c)
{
    return setup(c, 1);
}

static int rsa_verify_setup(cs_case *c)
{
    return setup(c, 1);
}

static int rsa_encrypt_setup(cs_case *c)
{
    return setup(c, 0);
}

static int rsa_decrypt_setup(cs_case *c)
{
    return setup(c, 0);
}

/* What a call that refuses its input means: anything but a lack of memory is the input's fault. */
static int refused(const char *entry_point, gcry_error_t error)
{
    return gcry_err_code(error) == GPG_ERR_ENOMEM ? fail(entry_point, error) : CS_REJECTED;
}

static gcry_error_t hashed(cs_case *c, gcry_sexp_t *data)
{
    struct rsa *s = c->state;
    const struct rsa_form *form = c->op->param;

    gcry_md_reset(s->hash);
    gcry_md_write(s->hash, c->msg.data, c->msg.len);
    return gcry_sexp_build(data, NULL, form->data, DIGEST, gcry_md_read(s->hash, 0));
}

/* Writes the number called `name` of an S-expression, as long as the modulus, and releases that. */
static int put(cs_case *c, gcry_sexp_t from, const char *name, const char *entry_point)
{
    struct rsa *s = c->state;
    uint8_t space[CS_RSA_MODULUS_MAX + 1];
    gcry_buffer_t number = {.size = sizeof space, .data = space};
    gcry_error_t error = gcry_sexp_extract_param(from, NULL, name, &number, NULL);

    gcry_sexp_release(from);
    if (error != 0)
        return fail(entry_point, error);
    return cs_put_number(c->out, s->size, (cs_span){.data = number.data, .len = number.len});
}

static int rsa_sign_call(cs_case *c)
{
    struct rsa *s = c->state;
    gcry_sexp_t data = NULL, signature = NULL;
    gcry_error_t error = hashed(c, &data);

    if (error == 0)
        error = gcry_pk_sign(&signature, data, s->key);
    gcry_sexp_release(data);
    return error == 0 ? put(c, signature, "&s", "gcry_pk_sign") : fail("gcry_pk_sign", error);
}

/* A signature is a number in the S-expression: its length is looked at here, which only one value allows. */
static int rsa_verify_call(cs_case *c)
{
    struct rsa *s = c->state;
    gcry_sexp_t data = NULL, signature = NULL;
    gcry_error_t error;

    if (c->sig.len != s->size)
        return CS_REJECTED;
    error = hashed(c, &data);
    if (error == 0)
        error = gcry_sexp_build(&signature, NULL, "(sig-val(rsa(s %b)))", (int)c->sig.len, c->sig.data);
    if (error == 0)
        error = gcry_pk_verify(signature, data, s->key);
    gcry_sexp_release(signature);
    gcry_sexp_release(data);
    return error == 0 ? CS_OK : refused("gcry_pk_verify", error);
}

static int rsa_encrypt_call(cs_case *c)
{
    struct rsa *s = c->state;
    const struct rsa_form *form = c->op->param;
    gcry_sexp_t data = NULL, ciphertext = NULL;
    gcry_error_t error = gcry_sexp_build(&data, NULL, form->data, (int)c->msg.len, c->msg.data);

    if (error == 0)
        error = gcry_pk_encrypt(&ciphertext, data, s->key);
    gcry_sexp_release(data);
    return error == 0 ? put(c, ciphertext, "&a", "gcry_pk_encrypt") : fail("gcry_pk_encrypt", error);
}

/* The message is the second element of a list, or there is none if it is empty. */
static int put_message(cs_case *c, gcry_sexp_t plain)
{
    const char *message = gcry_sexp_nth_data(plain, 1, &c->out_len);
    int fits = message == NULL || c->out_len <= c->out_cap;

    if (message == NULL)
        c->out_len = 0;
    else if (fits)
        memcpy(c->out, message, c->out_len);
    gcry_sexp_release(plain);
    return fits ? CS_OK : cs_fail("the message is longer than the modulus");
}

/* The length is looked at here, as that of a signature is. */
static int rsa_decrypt_call(cs_case *c)
{
    struct rsa *s = c->state;
    const struct rsa_form *form = c->op->param;
    gcry_sexp_t ciphertext = NULL, plain = NULL;
    gcry_error_t error;

    c->out_len = 0;
    if (c->msg.len != s->size)
        return CS_REJECTED;
    error = gcry_sexp_build(&ciphertext, NULL, form->ciphertext, (int)c->msg.len, c->msg.data);
    if (error == 0)
        error = gcry_pk_decrypt(&plain, ciphertext, s->key);
    gcry_sexp_release(ciphertext);
    return error == 0 ? put_message(c, plain) : refused("gcry_pk_decrypt", error);
}

#define RSA_ROW(ALGORITHM, VERB, CALL, FORM)                                                                           \
    {.id = ALGORITHM "/" VERB,                                                                                         \
     .impl = "default",                                                                                                \
     .name = "gcry_pk_" #CALL,                                                                                         \
     .setup = rsa_##CALL##_setup,                                                                                      \
     .call = rsa_##CALL##_call,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = rsa_teardown,                                                                                         \
     .param = &FORM,                                                                                                   \
     .seed = ecdsa_seed}
#define RSA_SIGNATURE(ALGORITHM, FORM)                                                                                 \
    RSA_ROW(ALGORITHM, "sign", sign, FORM), RSA_ROW(ALGORITHM, "verify", verify, FORM)
#define RSA_CIPHER(ALGORITHM, FORM)                                                                                    \
    RSA_ROW(ALGORITHM, "public-encrypt", encrypt, FORM), RSA_ROW(ALGORITHM, "private-decrypt", decrypt, FORM)
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_SIGNATURE("rsa-" BITS "-pkcs1-sha256", rsa_pkcs1), RSA_SIGNATURE("rsa-" BITS "-pss-sha256", rsa_pss),          \
        RSA_CIPHER("rsa-" BITS "-oaep-sha256", rsa_oaep)

static const cs_op rows[] = {RSA_ROWS_OF("2048"), RSA_ROWS_OF("3072"), RSA_ROWS_OF("4096"),
                             RSA_CIPHER("rsa-2048-pkcs1", rsa_pkcs1_cipher)};

const cs_table libgcrypt_rsa = CS_TABLE(rows);
