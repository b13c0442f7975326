/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: ciphers and AEADs. Some modes want more than an IV before a message: CCM its lengths, OCB to know the last
 * piece, GCM-SIV the tag, and EAX and GCM-SIV a reset. And key wrap, whose output is longer than its input.
 *
 * Entry points: gcry_cipher_*.
 */
#include "adapter.h"

enum { TAG = 16, CHECK_VALUE = 8 };

/* ---- cipher ---- */

static const struct algorithm aes128_cbc = {GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_CBC};
static const struct algorithm aes192_cbc = {GCRY_CIPHER_AES192, GCRY_CIPHER_MODE_CBC};
static const struct algorithm aes256_cbc = {GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_CBC};
static const struct algorithm des3_cbc = {GCRY_CIPHER_3DES, GCRY_CIPHER_MODE_CBC};
static const struct algorithm aes128_ctr = {GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_CTR};
static const struct algorithm aes192_ctr = {GCRY_CIPHER_AES192, GCRY_CIPHER_MODE_CTR};
static const struct algorithm aes256_ctr = {GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_CTR};
static const struct algorithm chacha20 = {GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_STREAM};

static const char *cipher_unavailable(const struct cs_op *op)
{
    const struct algorithm *kind = op->param;

    return gcry_cipher_test_algo(kind->algo) == 0 ? NULL : "this build or mode of Libgcrypt has it disabled";
}

/* A weak part in a 3DES key is reported, but with this setting the key is set and usable. */
static gcry_error_t set_key(gcry_cipher_hd_t cipher, cs_span key)
{
    gcry_error_t error = gcry_cipher_ctl(cipher, GCRYCTL_SET_ALLOW_WEAK_KEY, NULL, 1);

    if (error == 0)
        error = gcry_cipher_setkey(cipher, key.data, key.len);
    return gcry_err_code(error) == GPG_ERR_WEAK_KEY ? 0 : error;
}

static int cipher_setup(cs_case *c)
{
    const struct algorithm *kind = c->op->param;
    gcry_cipher_hd_t cipher;
    gcry_error_t error;

    error = gcry_cipher_open(&cipher, kind->algo, kind->mode, 0);
    if (error != 0)
        return fail("gcry_cipher_open", error);
    error = set_key(cipher, c->key);
    if (error != 0) {
        gcry_cipher_close(cipher);
        return fail("gcry_cipher_setkey", error);
    }
    c->state = cipher;
    c->out_len = c->msg.len;
    return CS_OK;
}

/* The handle allows weak keys already: that is set once. */
static int cipher_rekey(cs_case *c)
{
    gcry_error_t error = gcry_cipher_setkey(c->state, c->key.data, c->key.len);

    return error == 0 || gcry_err_code(error) == GPG_ERR_WEAK_KEY ? CS_OK : fail("gcry_cipher_setkey", error);
}

static int encrypt_call(cs_case *c)
{
    gcry_cipher_hd_t cipher = c->state;
    gcry_error_t error = gcry_cipher_setiv(cipher, c->iv.data, c->iv.len);

    if (error == 0)
        error = gcry_cipher_encrypt(cipher, c->out, c->out_cap, c->msg.data, c->msg.len);
    return error == 0 ? CS_OK : fail("gcry_cipher_encrypt", error);
}

static int decrypt_call(cs_case *c)
{
    gcry_cipher_hd_t cipher = c->state;
    gcry_error_t error = gcry_cipher_setiv(cipher, c->iv.data, c->iv.len);

    if (error == 0)
        error = gcry_cipher_decrypt(cipher, c->out, c->out_cap, c->msg.data, c->msg.len);
    return error == 0 ? CS_OK : fail("gcry_cipher_decrypt", error);
}

static int ctr_call(cs_case *c)
{
    gcry_cipher_hd_t cipher = c->state;
    gcry_error_t error = gcry_cipher_setctr(cipher, c->iv.data, c->iv.len);

    if (error == 0)
        error = gcry_cipher_encrypt(cipher, c->out, c->out_cap, c->msg.data, c->msg.len);
    return error == 0 ? CS_OK : fail("gcry_cipher_encrypt", error);
}

static void cipher_teardown(cs_case *c)
{
    gcry_cipher_close(c->state);
    c->state = NULL;
}

/* ---- aead ---- */

static const struct algorithm aes128_gcm = {GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_GCM};
static const struct algorithm aes192_gcm = {GCRY_CIPHER_AES192, GCRY_CIPHER_MODE_GCM};
static const struct algorithm aes256_gcm = {GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_GCM};
static const struct algorithm chacha20_poly1305 = {GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_POLY1305};

static int seal_setup(cs_case *c)
{
    int status = cipher_setup(c);

    c->out_len = c->msg.len + TAG;
    return status;
}

static gcry_error_t start_aead(cs_case *c)
{
    gcry_error_t error = gcry_cipher_setiv(c->state, c->iv.data, c->iv.len);

    return error == 0 ? gcry_cipher_authenticate(c->state, c->aad.data, c->aad.len) : error;
}

static int seal_call(cs_case *c)
{
    gcry_error_t error = start_aead(c);

    if (error == 0)
        error = gcry_cipher_encrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_gettag(c->state, c->out + c->msg.len, TAG);
    return error == 0 ? CS_OK : fail("Libgcrypt seal", error);
}

static int open_call(cs_case *c)
{
    gcry_error_t error = start_aead(c);

    if (error == 0)
        error = gcry_cipher_decrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_checktag(c->state, c->tag.data, TAG);
    if (error == 0)
        return CS_OK;
    return gcry_err_code(error) == GPG_ERR_CHECKSUM ? CS_REJECTED : fail("Libgcrypt open", error);
}

static int opened(gcry_error_t error)
{
    if (error == 0)
        return CS_OK;
    return gcry_err_code(error) == GPG_ERR_CHECKSUM ? CS_REJECTED : fail("Libgcrypt open", error);
}

/* ---- CCM ---- */

static gcry_error_t ccm_start(cs_case *c)
{
    uint64_t lengths[3] = {c->msg.len, c->aad.len, TAG};
    gcry_error_t error = gcry_cipher_setiv(c->state, c->iv.data, c->iv.len);

    if (error == 0)
        error = gcry_cipher_ctl(c->state, GCRYCTL_SET_CCM_LENGTHS, lengths, sizeof lengths);
    return error == 0 ? gcry_cipher_authenticate(c->state, c->aad.data, c->aad.len) : error;
}

static int ccm_seal_call(cs_case *c)
{
    gcry_error_t error = ccm_start(c);

    if (error == 0)
        error = gcry_cipher_encrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_gettag(c->state, c->out + c->msg.len, TAG);
    return error == 0 ? CS_OK : fail("Libgcrypt seal", error);
}

static int ccm_open_call(cs_case *c)
{
    gcry_error_t error = ccm_start(c);

    if (error == 0)
        error = gcry_cipher_decrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_checktag(c->state, c->tag.data, TAG);
    return opened(error);
}

/* ---- OCB ---- */

static gcry_error_t ocb_start(cs_case *c)
{
    gcry_error_t error = gcry_cipher_setiv(c->state, c->iv.data, c->iv.len);

    if (error == 0)
        error = gcry_cipher_authenticate(c->state, c->aad.data, c->aad.len);
    return error == 0 ? gcry_cipher_final(c->state) : error;
}

static int ocb_seal_call(cs_case *c)
{
    gcry_error_t error = ocb_start(c);

    if (error == 0)
        error = gcry_cipher_encrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_gettag(c->state, c->out + c->msg.len, TAG);
    return error == 0 ? CS_OK : fail("Libgcrypt seal", error);
}

static int ocb_open_call(cs_case *c)
{
    gcry_error_t error = ocb_start(c);

    if (error == 0)
        error = gcry_cipher_decrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_checktag(c->state, c->tag.data, TAG);
    return opened(error);
}

/* ---- EAX, GCM-SIV: a nonce alone does not begin a message on a handle that has finished one ---- */

static gcry_error_t anew(cs_case *c)
{
    gcry_error_t error = gcry_cipher_reset(c->state);

    if (error == 0)
        error = gcry_cipher_setiv(c->state, c->iv.data, c->iv.len);
    return error == 0 ? gcry_cipher_authenticate(c->state, c->aad.data, c->aad.len) : error;
}

static int seal_anew(cs_case *c)
{
    gcry_error_t error = anew(c);

    if (error == 0)
        error = gcry_cipher_encrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_gettag(c->state, c->out + c->msg.len, TAG);
    return error == 0 ? CS_OK : fail("Libgcrypt seal", error);
}

static int eax_seal_call(cs_case *c)
{
    return seal_anew(c);
}

static int eax_open_call(cs_case *c)
{
    gcry_error_t error = anew(c);

    if (error == 0)
        error = gcry_cipher_decrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_checktag(c->state, c->tag.data, TAG);
    return opened(error);
}

static int siv_seal_call(cs_case *c)
{
    return seal_anew(c);
}

static int siv_open_call(cs_case *c)
{
    gcry_error_t error = anew(c);

    if (error == 0)
        error = gcry_cipher_set_decryption_tag(c->state, c->tag.data, TAG);
    if (error == 0)
        error = gcry_cipher_decrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_checktag(c->state, c->tag.data, TAG);
    return opened(error);
}

/* ---- key wrap ---- */

static int wrap_call(cs_case *c)
{
    gcry_error_t error;

    c->out_len = c->msg.len + CHECK_VALUE;
    error = gcry_cipher_encrypt(c->state, c->out, c->out_len, c->msg.data, c->msg.len);
    return error == 0 ? CS_OK : fail("gcry_cipher_encrypt", error);
}

static int unwrap_call(cs_case *c)
{
    c->out_len = c->msg.len - CHECK_VALUE;
    return opened(gcry_cipher_decrypt(c->state, c->out, c->out_cap, c->msg.data, c->msg.len));
}

#define MODE_ROW(ID, NAME, SETUP, CALL, PARAM, BLOCK)                                                                  \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .rekey = cipher_rekey,                                                                                            \
     .teardown = cipher_teardown,                                                                                      \
     .param = &(const struct algorithm)PARAM,                                                                          \
     .unavailable = cipher_unavailable,                                                                                \
     .block = BLOCK}
#define PLAIN(...) {__VA_ARGS__}
#define SEALING(BITS, MODE, NAME, SEAL, OPEN)                                                                          \
    MODE_ROW("aes-" #BITS "-" MODE "/seal", "GCRY_CIPHER_AES" #BITS " " #NAME, seal_setup, SEAL,                       \
             PLAIN(GCRY_CIPHER_AES##BITS, GCRY_CIPHER_MODE_##NAME), 0),                                                \
        MODE_ROW("aes-" #BITS "-" MODE "/open", "GCRY_CIPHER_AES" #BITS " " #NAME, cipher_setup, OPEN,                 \
                 PLAIN(GCRY_CIPHER_AES##BITS, GCRY_CIPHER_MODE_##NAME), 0)
#define SIZED_ROWS(BITS)                                                                                               \
    SEALING(BITS, "ccm", CCM, ccm_seal_call, ccm_open_call), SEALING(BITS, "eax", EAX, eax_seal_call, eax_open_call),  \
        SEALING(BITS, "ocb", OCB, ocb_seal_call, ocb_open_call),                                                       \
        SEALING(BITS, "gcm-siv", GCM_SIV, siv_seal_call, siv_open_call),                                               \
        MODE_ROW("aes-" #BITS "-xts/encrypt", "GCRY_CIPHER_AES" #BITS " XTS", cipher_setup, encrypt_call,              \
                 PLAIN(GCRY_CIPHER_AES##BITS, GCRY_CIPHER_MODE_XTS), 16),                                              \
        MODE_ROW("aes-" #BITS "-xts/decrypt", "GCRY_CIPHER_AES" #BITS " XTS", cipher_setup, decrypt_call,              \
                 PLAIN(GCRY_CIPHER_AES##BITS, GCRY_CIPHER_MODE_XTS), 16),                                              \
        MODE_ROW("aes-" #BITS "-kw/wrap", "GCRY_CIPHER_AES" #BITS " AESWRAP", cipher_setup, wrap_call,                 \
                 PLAIN(GCRY_CIPHER_AES##BITS, GCRY_CIPHER_MODE_AESWRAP), 8),                                           \
        MODE_ROW("aes-" #BITS "-kw/unwrap", "GCRY_CIPHER_AES" #BITS " AESWRAP", cipher_setup, unwrap_call,             \
                 PLAIN(GCRY_CIPHER_AES##BITS, GCRY_CIPHER_MODE_AESWRAP), 8)

/* clang-format off */
static const cs_op rows[] = {
    {.id = "aes-128-cbc/encrypt", .impl = "default", .name = "GCRY_CIPHER_AES128 CBC", .setup = cipher_setup, .call = encrypt_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes128_cbc, .unavailable = cipher_unavailable, .block = 16},
    {.id = "aes-192-cbc/encrypt", .impl = "default", .name = "GCRY_CIPHER_AES192 CBC", .setup = cipher_setup, .call = encrypt_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes192_cbc, .unavailable = cipher_unavailable, .block = 16},
    {.id = "aes-128-cbc/decrypt", .impl = "default", .name = "GCRY_CIPHER_AES128 CBC", .setup = cipher_setup, .call = decrypt_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes128_cbc, .unavailable = cipher_unavailable, .block = 16},
    {.id = "aes-192-cbc/decrypt", .impl = "default", .name = "GCRY_CIPHER_AES192 CBC", .setup = cipher_setup, .call = decrypt_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes192_cbc, .unavailable = cipher_unavailable, .block = 16},
    {.id = "aes-256-cbc/encrypt", .impl = "default", .name = "GCRY_CIPHER_AES256 CBC", .setup = cipher_setup, .call = encrypt_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes256_cbc, .unavailable = cipher_unavailable, .block = 16},
    {.id = "aes-256-cbc/decrypt", .impl = "default", .name = "GCRY_CIPHER_AES256 CBC", .setup = cipher_setup, .call = decrypt_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes256_cbc, .unavailable = cipher_unavailable, .block = 16},
    {.id = "3des-cbc/encrypt", .impl = "default", .name = "GCRY_CIPHER_3DES CBC", .setup = cipher_setup, .call = encrypt_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &des3_cbc, .unavailable = cipher_unavailable, .block = 8},
    {.id = "3des-cbc/decrypt", .impl = "default", .name = "GCRY_CIPHER_3DES CBC", .setup = cipher_setup, .call = decrypt_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &des3_cbc, .unavailable = cipher_unavailable, .block = 8},
    {.id = "aes-128-ctr/encrypt", .impl = "default", .name = "GCRY_CIPHER_AES128 CTR", .setup = cipher_setup, .call = ctr_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes128_ctr, .unavailable = cipher_unavailable},
    {.id = "aes-192-ctr/encrypt", .impl = "default", .name = "GCRY_CIPHER_AES192 CTR", .setup = cipher_setup, .call = ctr_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes192_ctr, .unavailable = cipher_unavailable},
    {.id = "aes-256-ctr/encrypt", .impl = "default", .name = "GCRY_CIPHER_AES256 CTR", .setup = cipher_setup, .call = ctr_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes256_ctr, .unavailable = cipher_unavailable},
    {.id = "chacha20/encrypt", .impl = "default", .name = "GCRY_CIPHER_CHACHA20", .setup = cipher_setup, .call = encrypt_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &chacha20, .unavailable = cipher_unavailable},
    {.id = "aes-128-gcm/seal", .impl = "default", .name = "GCRY_CIPHER_AES128 GCM", .setup = seal_setup, .call = seal_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes128_gcm, .unavailable = cipher_unavailable},
    {.id = "aes-192-gcm/seal", .impl = "default", .name = "GCRY_CIPHER_AES192 GCM", .setup = seal_setup, .call = seal_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes192_gcm, .unavailable = cipher_unavailable},
    {.id = "aes-128-gcm/open", .impl = "default", .name = "GCRY_CIPHER_AES128 GCM", .setup = cipher_setup, .call = open_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes128_gcm, .unavailable = cipher_unavailable},
    {.id = "aes-192-gcm/open", .impl = "default", .name = "GCRY_CIPHER_AES192 GCM", .setup = cipher_setup, .call = open_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes192_gcm, .unavailable = cipher_unavailable},
    {.id = "aes-256-gcm/seal", .impl = "default", .name = "GCRY_CIPHER_AES256 GCM", .setup = seal_setup, .call = seal_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes256_gcm, .unavailable = cipher_unavailable},
    {.id = "aes-256-gcm/open", .impl = "default", .name = "GCRY_CIPHER_AES256 GCM", .setup = cipher_setup, .call = open_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &aes256_gcm, .unavailable = cipher_unavailable},
    {.id = "chacha20-poly1305/seal", .impl = "default", .name = "GCRY_CIPHER_CHACHA20 POLY1305", .setup = seal_setup, .call = seal_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &chacha20_poly1305, .unavailable = cipher_unavailable},
    {.id = "chacha20-poly1305/open", .impl = "default", .name = "GCRY_CIPHER_CHACHA20 POLY1305", .setup = cipher_setup, .call = open_call, .rekey = cipher_rekey, .teardown = cipher_teardown, .param = &chacha20_poly1305, .unavailable = cipher_unavailable},
    SIZED_ROWS(128), SIZED_ROWS(256),
    MODE_ROW("camellia-128-cbc/encrypt", "GCRY_CIPHER_CAMELLIA128 CBC", cipher_setup, encrypt_call, PLAIN(GCRY_CIPHER_CAMELLIA128, GCRY_CIPHER_MODE_CBC), 16),
    MODE_ROW("camellia-128-cbc/decrypt", "GCRY_CIPHER_CAMELLIA128 CBC", cipher_setup, decrypt_call, PLAIN(GCRY_CIPHER_CAMELLIA128, GCRY_CIPHER_MODE_CBC), 16),
    MODE_ROW("sm4-ctr/encrypt", "GCRY_CIPHER_SM4 CTR", cipher_setup, ctr_call, PLAIN(GCRY_CIPHER_SM4, GCRY_CIPHER_MODE_CTR), 0),
#if GCRYPT_VERSION_NUMBER >= 0x010b00
    MODE_ROW("aria-128-ctr/encrypt", "GCRY_CIPHER_ARIA128 CTR", cipher_setup, ctr_call, PLAIN(GCRY_CIPHER_ARIA128, GCRY_CIPHER_MODE_CTR), 0),
#endif
};
/* clang-format on */

const cs_table libgcrypt_modes = CS_TABLE(rows);
