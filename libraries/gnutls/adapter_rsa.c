/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: RSA signatures and encryption, on abstract keys. Signing and verification are the calls of adapter_pkey.c.
 *
 * Entry points: gnutls_privkey_import_rsa_raw, gnutls_pubkey_import_rsa_raw, gnutls_*_set_spki,
 * gnutls_pubkey_encrypt_data, gnutls_privkey_decrypt_data.
 */
#include <string.h>

#include <gnutls/x509.h>

#include "adapter.h"

/* OAEP came with GnuTLS 3.8.4. */
#define HAS_OAEP (GNUTLS_VERSION_NUMBER >= 0x030804)

static const struct scheme rsa_pkcs1 = {.algorithm = GNUTLS_SIGN_RSA_SHA256};
static const struct scheme rsa_pss = {.algorithm = GNUTLS_SIGN_RSA_PSS_RSAE_SHA256};

/* GnuTLS takes dP and dQ as e1 and e2, qInv as u. */
static int import(struct key_state *s, const cs_rsa_key *numbers)
{
    gnutls_datum_t n = datum(numbers->n), e = datum(numbers->e), d = datum(numbers->d), part[CS_CRT_PARTS];

    if (d.data == NULL)
        return gnutls_pubkey_import_rsa_raw(s->pub, &n, &e);
    for (int i = 0; i < CS_CRT_PARTS; i++)
        part[i] = datum(numbers->part[i]);
    return gnutls_privkey_import_rsa_raw(s->key, &n, &e, &d, &part[CS_CRT_P], &part[CS_CRT_Q], &part[CS_CRT_QINV],
                                         &part[CS_CRT_DP], &part[CS_CRT_DQ]);
}

static int setup(cs_case *c)
{
    cs_rsa_key numbers;
    struct key_state *s;

    if (cs_rsa_numbers(c, &numbers) != CS_OK)
        return CS_ERROR;
    s = new_keys(c);
    return s == NULL ? CS_ERROR : key_ready(c, import(s, &numbers));
}

static int rsa_sign_setup(cs_case *c)
{
    return setup(c);
}

static int rsa_verify_setup(cs_case *c)
{
    return setup(c);
}

static int rsa_pkcs1_encrypt_setup(cs_case *c)
{
    return setup(c);
}

static int rsa_pkcs1_decrypt_setup(cs_case *c)
{
    return setup(c);
}

#if HAS_OAEP
/* A key is made one of OAEP by its parameters. */
static int oaep_setup(cs_case *c)
{
    gnutls_x509_spki_t spki;
    struct key_state *s;
    int status;

    if (setup(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    status = gnutls_x509_spki_init(&spki);
    if (status < 0)
        return key_ready(c, status);
    status = gnutls_x509_spki_set_rsa_oaep_params(spki, GNUTLS_DIG_SHA256, NULL);
    if (status >= 0)
        status =
            c->key.data != NULL ? gnutls_privkey_set_spki(s->key, spki, 0) : gnutls_pubkey_set_spki(s->pub, spki, 0);
    gnutls_x509_spki_deinit(spki);
    return key_ready(c, status);
}

static int rsa_oaep_encrypt_setup(cs_case *c)
{
    return oaep_setup(c);
}

static int rsa_oaep_decrypt_setup(cs_case *c)
{
    return oaep_setup(c);
}
#endif

/* What comes is in memory of the library's. */
static int put(cs_case *c, gnutls_datum_t *bytes)
{
    int fits = bytes->size <= c->out_cap;

    if (fits && bytes->size > 0)
        memcpy(c->out, bytes->data, bytes->size);
    c->out_len = bytes->size;
    gnutls_free(bytes->data);
    return fits ? CS_OK : cs_fail("the result is longer than the modulus");
}

static int rsa_encrypt_call(cs_case *c)
{
    const struct key_state *s = c->state;
    gnutls_datum_t msg = datum(c->msg), ciphertext;
    int status = gnutls_pubkey_encrypt_data(s->pub, 0, &msg, &ciphertext);

    return status < 0 ? done(status) : put(c, &ciphertext);
}

static int rsa_decrypt_call(cs_case *c)
{
    const struct key_state *s = c->state;
    gnutls_datum_t msg = datum(c->msg), plain;
    int status = gnutls_privkey_decrypt_data(s->key, 0, &msg, &plain);

    c->out_len = 0;
    if (status == GNUTLS_E_MEMORY_ERROR)
        return done(status);
    return status < 0 ? CS_REJECTED : put(c, &plain);
}

#define RSA_ROW(ID, NAME, SETUP, CALL, ...)                                                                            \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = key_teardown,                                                                                         \
     .seed = seed_random,                                                                                              \
     __VA_ARGS__}
#define RSA_SIGNATURE(ALGORITHM, SCHEME)                                                                               \
    RSA_ROW(ALGORITHM "/sign", "gnutls_privkey_sign_data2", rsa_sign_setup, sign_call, .param = &SCHEME),              \
        RSA_ROW(ALGORITHM "/verify", "gnutls_pubkey_verify_data2", rsa_verify_setup, verify_call, .param = &SCHEME)
#define RSA_CIPHER(ALGORITHM, PADDING)                                                                                 \
    RSA_ROW(ALGORITHM "/public-encrypt", "gnutls_pubkey_encrypt_data", rsa_##PADDING##_encrypt_setup,                  \
            rsa_encrypt_call, .param = NULL),                                                                          \
        RSA_ROW(ALGORITHM "/private-decrypt", "gnutls_privkey_decrypt_data", rsa_##PADDING##_decrypt_setup,            \
                rsa_decrypt_call, .param = NULL)
#define RSA_SIGNATURES_OF(BITS)                                                                                        \
    RSA_SIGNATURE("rsa-" BITS "-pkcs1-sha256", rsa_pkcs1), RSA_SIGNATURE("rsa-" BITS "-pss-sha256", rsa_pss)

static const cs_op rows[] = {
    RSA_SIGNATURES_OF("2048"),
    RSA_SIGNATURES_OF("3072"),
    RSA_SIGNATURES_OF("4096"),
    RSA_CIPHER("rsa-2048-pkcs1", pkcs1),
#if HAS_OAEP
    RSA_CIPHER("rsa-2048-oaep-sha256", oaep),
    RSA_CIPHER("rsa-3072-oaep-sha256", oaep),
    RSA_CIPHER("rsa-4096-oaep-sha256", oaep),
#endif
};
const cs_table gnutls_rsa = CS_TABLE(rows);
