/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: keys out of DER. A call frees the key of the call before; a decoder's context is kept.
 *
 * Entry points: d2i_PUBKEY, d2i_PrivateKey, OSSL_DECODER_from_data.
 */
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "session.h"

enum { EXPONENT = 4 };

/* A kind of key: its name to fetch, the number of its type, and the structure that a decoder reads. */
struct import_kind {
    const char *name;
    int type;
    const char *structure;
};

static const struct import_kind *kind_of(const cs_case *c)
{
    return c->op->param;
}

static const char *import_unavailable(const struct cs_op *op)
{
    const struct import_kind *kind = op->param;
    EVP_KEYMGMT *keys = EVP_KEYMGMT_fetch(NULL, kind->name, NULL);
    const char *reason = keys == NULL ? "no loaded provider has such keys" : NULL;

    EVP_KEYMGMT_free(keys);
    ERR_clear_error();
    return reason;
}

/* One pass over each kind; the algorithms that it finds are not used. */
#define NAME_ALL(KIND, TYPE)                                                                                           \
    static void name_##KIND(TYPE *found, void *unused)                                                                 \
    {                                                                                                                  \
        (void)found;                                                                                                   \
        (void)unused;                                                                                                  \
    }
NAME_ALL(digest, EVP_MD)
NAME_ALL(cipher, EVP_CIPHER)
NAME_ALL(mac, EVP_MAC)
NAME_ALL(kdf, EVP_KDF)
NAME_ALL(rand, EVP_RAND)
NAME_ALL(keymgmt, EVP_KEYMGMT)
NAME_ALL(keyexch, EVP_KEYEXCH)
NAME_ALL(signature, EVP_SIGNATURE)
NAME_ALL(asym_cipher, EVP_ASYM_CIPHER)
NAME_ALL(kem, EVP_KEM)
NAME_ALL(encoder, OSSL_ENCODER)
NAME_ALL(decoder, OSSL_DECODER)

const char *evp_settle(void)
{
    EVP_MD_do_all_provided(NULL, name_digest, NULL);
    EVP_CIPHER_do_all_provided(NULL, name_cipher, NULL);
    EVP_MAC_do_all_provided(NULL, name_mac, NULL);
    EVP_KDF_do_all_provided(NULL, name_kdf, NULL);
    EVP_RAND_do_all_provided(NULL, name_rand, NULL);
    EVP_KEYMGMT_do_all_provided(NULL, name_keymgmt, NULL);
    EVP_KEYEXCH_do_all_provided(NULL, name_keyexch, NULL);
    EVP_SIGNATURE_do_all_provided(NULL, name_signature, NULL);
    EVP_ASYM_CIPHER_do_all_provided(NULL, name_asym_cipher, NULL);
    EVP_KEM_do_all_provided(NULL, name_kem, NULL);
    OSSL_ENCODER_do_all_provided(NULL, name_encoder, NULL);
    OSSL_DECODER_do_all_provided(NULL, name_decoder, NULL);
    return NULL;
}

static int import_setup(cs_case *c)
{
    return session_new(c) != NULL ? CS_OK : CS_ERROR;
}

/* The decoder puts the key at the address that it got when it was made. */
static int import_decoder_setup(cs_case *c)
{
    struct session *s = session_new(c);
    const char *structure = kind_of(c)->structure;
    int selection = strcmp(structure, "PrivateKeyInfo") == 0 ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;

    if (s == NULL)
        return CS_ERROR;
    s->decoder = OSSL_DECODER_CTX_new_for_pkey(&s->key, "DER", structure, kind_of(c)->name, selection, NULL, NULL);
    if (s->decoder == NULL || OSSL_DECODER_CTX_get_num_decoders(s->decoder) == 0)
        return session_give_up(c, "OSSL_DECODER_CTX_new_for_pkey");
    return CS_OK;
}

/* A refusal is the input's fault, except if memory was short. */
static int judged(const cs_case *c, const char *entry_point)
{
    const struct session *s = c->state;

    if (s->key != NULL && EVP_PKEY_get_base_id(s->key) == kind_of(c)->type)
        return CS_OK;
    if (ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE)
        return session_fail(entry_point);
    ERR_clear_error();
    return CS_REJECTED;
}

static void forget(struct session *s)
{
    EVP_PKEY_free(s->key);
    s->key = NULL;
}

static int import_public_call(cs_case *c)
{
    struct session *s = c->state;
    const uint8_t *at = c->msg.data;

    forget(s);
    s->key = d2i_PUBKEY(NULL, &at, (long)c->msg.len);
    return judged(c, "d2i_PUBKEY");
}

static int import_private_call(cs_case *c)
{
    struct session *s = c->state;
    const uint8_t *at = c->msg.data;

    forget(s);
    s->key = d2i_PrivateKey(kind_of(c)->type, NULL, &at, (long)c->msg.len);
    return judged(c, "d2i_PrivateKey");
}

static int import_decoder_call(cs_case *c)
{
    struct session *s = c->state;
    const uint8_t *at = c->msg.data;
    size_t left = c->msg.len;

    forget(s);
    if (OSSL_DECODER_from_data(s->decoder, &at, &left) != 1)
        forget(s);
    return judged(c, "OSSL_DECODER_from_data");
}

/* A number of the key at `at`, in `len` bytes. 1 if done. */
static int put(const struct session *s, const char *name, uint8_t *at, size_t len)
{
    BIGNUM *number = NULL;
    int done = EVP_PKEY_get_bn_param(s->key, name, &number) == 1 && BN_bn2binpad(number, at, (int)len) == (int)len;

    BN_clear_free(number);
    return done;
}

static int import_public_finish(cs_case *c)
{
    struct session *s = c->state;
    size_t len = c->out_cap - EXPONENT;
    int done = put(s, OSSL_PKEY_PARAM_RSA_N, c->out, len) && put(s, OSSL_PKEY_PARAM_RSA_E, c->out + len, EXPONENT);

    forget(s);
    c->out_len = c->out_cap;
    return done ? CS_OK : session_fail("EVP_PKEY_get_bn_param");
}

static int import_private_finish(cs_case *c)
{
    struct session *s = c->state;
    size_t len = c->out_cap / 2;
    int done =
        put(s, OSSL_PKEY_PARAM_RSA_FACTOR1, c->out, len) && put(s, OSSL_PKEY_PARAM_RSA_FACTOR2, c->out + len, len);

    forget(s);
    c->out_len = c->out_cap;
    return done ? CS_OK : session_fail("EVP_PKEY_get_bn_param");
}

static int import_point_finish(cs_case *c)
{
    struct session *s = c->state;
    size_t len = 0;
    int done = EVP_PKEY_get_octet_string_param(s->key, OSSL_PKEY_PARAM_PUB_KEY, c->out, c->out_cap, &len) == 1;

    forget(s);
    c->out_len = len;
    return done ? CS_OK : session_fail("EVP_PKEY_get_octet_string_param");
}

static int import_scalar_finish(cs_case *c)
{
    struct session *s = c->state;
    int done = put(s, OSSL_PKEY_PARAM_PRIV_KEY, c->out, c->out_cap);

    forget(s);
    c->out_len = c->out_cap;
    return done ? CS_OK : session_fail("EVP_PKEY_get_bn_param");
}

/* ---- rows ---- */

#define IMPORT_ROW(ID, IMPL, NAME, SETUP, CALL, FINISH, ...)                                                           \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .finish = FINISH,                                                                                                 \
     .teardown = session_free,                                                                                         \
     .param = &(const struct import_kind){__VA_ARGS__},                                                                \
     .unavailable = import_unavailable,                                                                                \
     .open = evp_open,                                                                                                 \
     .settle = evp_settle}
#define IMPORT_ROWS_OF(KEYS, PUBLIC_FINISH, PRIVATE_FINISH, NAME, TYPE)                                                \
    IMPORT_ROW(KEYS "-spki/import-public", "default", "d2i_PUBKEY", import_setup, import_public_call, PUBLIC_FINISH,   \
               NAME, TYPE, NULL),                                                                                      \
        IMPORT_ROW(KEYS "-spki/import-public", "OSSL_DECODER", "OSSL_DECODER_from_data", import_decoder_setup,         \
                   import_decoder_call, PUBLIC_FINISH, NAME, TYPE, "SubjectPublicKeyInfo"),                            \
        IMPORT_ROW(KEYS "-pkcs8/import-private", "default", "d2i_PrivateKey", import_setup, import_private_call,       \
                   PRIVATE_FINISH, NAME, TYPE, NULL),                                                                  \
        IMPORT_ROW(KEYS "-pkcs8/import-private", "OSSL_DECODER", "OSSL_DECODER_from_data", import_decoder_setup,       \
                   import_decoder_call, PRIVATE_FINISH, NAME, TYPE, "PrivateKeyInfo")
#define RSA_IMPORT_ROWS(KEYS) IMPORT_ROWS_OF(KEYS, import_public_finish, import_private_finish, "RSA", EVP_PKEY_RSA)

static const cs_op rows[] = {
    RSA_IMPORT_ROWS("rsa-2048"),
    RSA_IMPORT_ROWS("rsa-4096"),
    IMPORT_ROWS_OF("p-256", import_point_finish, import_scalar_finish, "EC", EVP_PKEY_EC),
};
const cs_table openssl_import = CS_TABLE(rows);
