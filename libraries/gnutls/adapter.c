/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS 3.7.5 and later 3.x: its interface for algorithms (gnutls/crypto.h), with handles that are kept, and its
 * abstract keys (gnutls/abstract.h): https://gnutls.org/manual/html_node/Using-GnuTLS-as-a-cryptographic-library.html
 *
 * Entry points: gnutls_hmac*, gnutls_cipher_*, gnutls_aead_cipher_*; adapter_hash.c has those for hashes,
 * adapter_pkey.c those for keys.
 */
#include <string.h>

#include "adapter.h"

/* ---- library ---- */

static const char *library_version(void)
{
    return gnutls_check_version(NULL);
}

gnutls_datum_t datum(cs_span span)
{
    return (gnutls_datum_t){.data = (unsigned char *)span.data, .size = (unsigned)span.len};
}

int done(int status)
{
    return status >= 0 ? CS_OK : cs_fail(gnutls_strerror(status));
}

/* ---- mac ---- */

static int mac_setup(cs_case *c)
{
    const gnutls_mac_algorithm_t *mac = c->op->param;
    gnutls_hmac_hd_t handle;
    int status = gnutls_hmac_init(&handle, *mac, c->key.data, c->key.len);

    if (status < 0)
        return done(status);
    c->state = handle;
    c->out_len = gnutls_hmac_get_len(*mac);
    return CS_OK;
}

static void mac_teardown(cs_case *c)
{
    gnutls_hmac_deinit(c->state, NULL);
    c->state = NULL;
}

/* Taking the tag sets the handle back to its keyed start. */
static int mac_call(cs_case *c)
{
    int status = gnutls_hmac(c->state, c->msg.data, c->msg.len);

    gnutls_hmac_output(c->state, c->out);
    return done(status);
}

static int oneshot_mac_setup(cs_case *c)
{
    const gnutls_mac_algorithm_t *mac = c->op->param;

    c->out_len = gnutls_hmac_get_len(*mac);
    return CS_OK;
}

static int oneshot_mac_call(cs_case *c)
{
    const gnutls_mac_algorithm_t *mac = c->op->param;

    return done(gnutls_hmac_fast(*mac, c->key.data, c->key.len, c->msg.data, c->msg.len, c->out));
}

/* ---- cipher ---- */

enum { CHACHA20_IV = 16 };

struct cipher_state {
    gnutls_cipher_hd_t handle;
    uint8_t iv[CHACHA20_IV];
    size_t iv_len;
};

static int open_cipher(cs_case *c, size_t iv_from)
{
    const gnutls_cipher_algorithm_t *cipher = c->op->param;
    struct cipher_state *s = cs_alloc(sizeof *s);
    gnutls_datum_t key = datum(c->key);
    gnutls_datum_t iv;
    int status;

    if (s == NULL)
        return CS_ERROR;
    memcpy(s->iv + iv_from, c->iv.data, c->iv.len);
    s->iv_len = iv_from + c->iv.len;
    iv = datum((cs_span){.data = s->iv, .len = s->iv_len});
    status = gnutls_cipher_init(&s->handle, *cipher, &key, &iv);
    if (status < 0) {
        cs_free(s);
        return done(status);
    }
    c->state = s;
    c->out_len = c->msg.len;
    return CS_OK;
}

static int cipher_setup(cs_case *c)
{
    return open_cipher(c, 0);
}

/* The IV of ChaCha20 is the block counter, 0 here, and the nonce. */
static int chacha20_setup(cs_case *c)
{
    return open_cipher(c, CHACHA20_IV - c->iv.len);
}

static void cipher_teardown(cs_case *c)
{
    struct cipher_state *s = c->state;

    gnutls_cipher_deinit(s->handle);
    cs_free(s);
    c->state = NULL;
}

static int encrypt_call(cs_case *c)
{
    struct cipher_state *s = c->state;

    gnutls_cipher_set_iv(s->handle, s->iv, s->iv_len);
    return done(gnutls_cipher_encrypt2(s->handle, c->msg.data, c->msg.len, c->out, c->msg.len));
}

static int decrypt_call(cs_case *c)
{
    struct cipher_state *s = c->state;

    gnutls_cipher_set_iv(s->handle, s->iv, s->iv_len);
    return done(gnutls_cipher_decrypt2(s->handle, c->msg.data, c->msg.len, c->out, c->msg.len));
}

/* ---- aead ---- */

enum { TAG = 16 };

/* `sealed`: ciphertext and tag, which the function that opens takes as one; NULL where it does not. */
struct aead_state {
    gnutls_aead_cipher_hd_t handle;
    uint8_t *sealed;
};

static int aead_setup(cs_case *c)
{
    const gnutls_cipher_algorithm_t *cipher = c->op->param;
    struct aead_state *s = cs_alloc(sizeof *s);
    gnutls_datum_t key = datum(c->key);
    int status;

    if (s == NULL)
        return CS_ERROR;
    status = gnutls_aead_cipher_init(&s->handle, *cipher, &key);
    if (status < 0) {
        cs_free(s);
        return done(status);
    }
    c->state = s;
    c->out_len = c->msg.len + (c->tag.data == NULL ? TAG : 0);
    return CS_OK;
}

static void aead_teardown(cs_case *c)
{
    struct aead_state *s = c->state;

    gnutls_aead_cipher_deinit(s->handle);
    cs_free(s->sealed);
    cs_free(s);
    c->state = NULL;
}

static void join(cs_case *c)
{
    struct aead_state *s = c->state;

    memcpy(s->sealed, c->msg.data, c->msg.len);
    memcpy(s->sealed + c->msg.len, c->tag.data, c->tag.len);
}

static int open_setup(cs_case *c)
{
    struct aead_state *s;

    if (aead_setup(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    s->sealed = cs_alloc(c->msg.len + c->tag.len);
    if (s->sealed == NULL) {
        aead_teardown(c);
        return CS_ERROR;
    }
    join(c);
    return CS_OK;
}

static int aead_rekey(cs_case *c)
{
    const struct aead_state *s = c->state;
    gnutls_datum_t key = datum(c->key);

    return done(gnutls_aead_cipher_set_key(s->handle, &key));
}

/* What belongs to another key is another ciphertext. */
static int open_rekey(cs_case *c)
{
    join(c);
    return aead_rekey(c);
}

static int opened(int status)
{
    return status == GNUTLS_E_DECRYPTION_FAILED ? CS_REJECTED : done(status);
}

static int seal_call(cs_case *c)
{
    const struct aead_state *s = c->state;
    size_t len = c->out_len;

    return done(gnutls_aead_cipher_encrypt(s->handle, c->iv.data, c->iv.len, c->aad.data, c->aad.len, TAG, c->msg.data,
                                           c->msg.len, c->out, &len));
}

static int open_call(cs_case *c)
{
    const struct aead_state *s = c->state;
    size_t len = c->out_len;

    return opened(gnutls_aead_cipher_decrypt(s->handle, c->iv.data, c->iv.len, c->aad.data, c->aad.len, TAG, s->sealed,
                                             c->msg.len + TAG, c->out, &len));
}

/* The functions on lists of buffers work in place, with the tag apart. */
static int seal_in_place_call(cs_case *c)
{
    const struct aead_state *s = c->state;
    const giovec_t aad = {.iov_base = (void *)c->aad.data, .iov_len = c->aad.len};
    const giovec_t text = {.iov_base = c->out, .iov_len = c->msg.len};
    size_t tag = TAG;

    cs_copy_message(c);
    return done(
        gnutls_aead_cipher_encryptv2(s->handle, c->iv.data, c->iv.len, &aad, 1, &text, 1, c->out + c->msg.len, &tag));
}

static int open_in_place_call(cs_case *c)
{
    const struct aead_state *s = c->state;
    const giovec_t aad = {.iov_base = (void *)c->aad.data, .iov_len = c->aad.len};
    const giovec_t text = {.iov_base = c->out, .iov_len = c->msg.len};

    cs_copy_message(c);
    return opened(gnutls_aead_cipher_decryptv2(s->handle, c->iv.data, c->iv.len, &aad, 1, &text, 1, (void *)c->tag.data,
                                               c->tag.len));
}

/* ---- rows ---- */

static const gnutls_mac_algorithm_t hmac_sha1 = GNUTLS_MAC_SHA1, hmac_sha384 = GNUTLS_MAC_SHA384,
                                    hmac_sha512 = GNUTLS_MAC_SHA512;
static const gnutls_mac_algorithm_t hmac_sha256 = GNUTLS_MAC_SHA256, cmac_128 = GNUTLS_MAC_AES_CMAC_128,
                                    cmac_256 = GNUTLS_MAC_AES_CMAC_256;
static const gnutls_cipher_algorithm_t aes128_cbc = GNUTLS_CIPHER_AES_128_CBC, aes256_cbc = GNUTLS_CIPHER_AES_256_CBC,
                                       des3_cbc = GNUTLS_CIPHER_3DES_CBC, chacha20 = GNUTLS_CIPHER_CHACHA20_32,
                                       aes128_gcm = GNUTLS_CIPHER_AES_128_GCM, aes256_gcm = GNUTLS_CIPHER_AES_256_GCM,
                                       chacha20_poly1305 = GNUTLS_CIPHER_CHACHA20_POLY1305;
static const gnutls_cipher_algorithm_t aes192_cbc = GNUTLS_CIPHER_AES_192_CBC, aes192_gcm = GNUTLS_CIPHER_AES_192_GCM,
                                       aes128_ccm = GNUTLS_CIPHER_AES_128_CCM, aes256_ccm = GNUTLS_CIPHER_AES_256_CCM,
                                       aes128_xts = GNUTLS_CIPHER_AES_128_XTS, aes256_xts = GNUTLS_CIPHER_AES_256_XTS,
                                       camellia_cbc = GNUTLS_CIPHER_CAMELLIA_128_CBC;
#if GNUTLS_VERSION_NUMBER >= 0x030802
static const gnutls_cipher_algorithm_t aes128_gcm_siv = GNUTLS_CIPHER_AES_128_SIV_GCM,
                                       aes256_gcm_siv = GNUTLS_CIPHER_AES_256_SIV_GCM;
#endif

#define MAC(ID, NAME, PARAM)                                                                                           \
    {.id = ID "/mac",                                                                                                  \
     .impl = "default",                                                                                                \
     .name = "gnutls_hmac " NAME,                                                                                      \
     .setup = mac_setup,                                                                                               \
     .call = mac_call,                                                                                                 \
     .teardown = mac_teardown,                                                                                         \
     .param = &(PARAM),                                                                                                \
     .rekey = cs_setup_again},                                                                                         \
    {                                                                                                                  \
        .id = ID "/mac", .impl = "oneshot", .name = "gnutls_hmac_fast " NAME, .setup = oneshot_mac_setup,              \
        .call = oneshot_mac_call, .param = &(PARAM), .rekey = cs_key_in_call                                           \
    }
#define CIPHER(ID, NAME, SETUP, CALL, PARAM, BLOCK)                                                                    \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .teardown = cipher_teardown,                                                                                      \
     .param = &(PARAM),                                                                                                \
     .block = BLOCK,                                                                                                   \
     .rekey = cs_setup_again}
#define CBC(ID, NAME, PARAM, BLOCK)                                                                                    \
    CIPHER(ID "/encrypt", "gnutls_cipher_encrypt2 " NAME, cipher_setup, encrypt_call, PARAM, BLOCK),                   \
        CIPHER(ID "/decrypt", "gnutls_cipher_decrypt2 " NAME, cipher_setup, decrypt_call, PARAM, BLOCK)
#define AEAD_ROW(ID, IMPL, NAME, SETUP, CALL, REKEY, PARAM, CANNOT)                                                    \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .teardown = aead_teardown,                                                                                        \
     .param = &(PARAM),                                                                                                \
     .rekey = REKEY,                                                                                                   \
     .cannot = CANNOT}
#define JOINED "place: ciphertext and tag are taken as one, which lies apart from the message"
#define AEAD(ID, NAME, PARAM)                                                                                          \
    AEAD_ROW(ID "/seal", "default", "gnutls_aead_cipher_encrypt " NAME, aead_setup, seal_call, aead_rekey, PARAM,      \
             NULL),                                                                                                    \
        AEAD_ROW(ID "/open", "default", "gnutls_aead_cipher_decrypt " NAME, open_setup, open_call, open_rekey, PARAM,  \
                 JOINED),                                                                                              \
        AEAD_ROW(ID "/seal", "encryptv2", "gnutls_aead_cipher_encryptv2 " NAME, aead_setup, seal_in_place_call,        \
                 aead_rekey, PARAM, NULL),                                                                             \
        AEAD_ROW(ID "/open", "decryptv2", "gnutls_aead_cipher_decryptv2 " NAME, aead_setup, open_in_place_call,        \
                 aead_rekey, PARAM, NULL)

static const cs_op rows[] = {
    MAC("hmac-sha-1", "SHA1", hmac_sha1),
    MAC("hmac-sha-256", "SHA256", hmac_sha256),
    MAC("hmac-sha-384", "SHA384", hmac_sha384),
    MAC("hmac-sha-512", "SHA512", hmac_sha512),
    MAC("cmac-aes-128", "AES_CMAC_128", cmac_128),
    MAC("cmac-aes-256", "AES_CMAC_256", cmac_256),
    CBC("aes-128-cbc", "AES_128_CBC", aes128_cbc, 16),
    CBC("aes-256-cbc", "AES_256_CBC", aes256_cbc, 16),
    CBC("3des-cbc", "3DES_CBC", des3_cbc, 8),
    CIPHER("chacha20/encrypt", "gnutls_cipher_encrypt2 CHACHA20_32", chacha20_setup, encrypt_call, chacha20, 0),
    AEAD("aes-128-gcm", "AES_128_GCM", aes128_gcm),
    AEAD("aes-256-gcm", "AES_256_GCM", aes256_gcm),
    AEAD("chacha20-poly1305", "CHACHA20_POLY1305", chacha20_poly1305),
    CBC("aes-192-cbc", "AES_192_CBC", aes192_cbc, 16),
    AEAD("aes-192-gcm", "AES_192_GCM", aes192_gcm),
    AEAD("aes-128-ccm", "AES_128_CCM", aes128_ccm),
    AEAD("aes-256-ccm", "AES_256_CCM", aes256_ccm),
    CBC("aes-128-xts", "AES_128_XTS", aes128_xts, 16),
    CBC("aes-256-xts", "AES_256_XTS", aes256_xts, 16),
    CBC("camellia-128-cbc", "CAMELLIA_128_CBC", camellia_cbc, 16),
#if GNUTLS_VERSION_NUMBER >= 0x030802
    AEAD("aes-128-gcm-siv", "AES_128_SIV_GCM", aes128_gcm_siv),
    AEAD("aes-256-gcm-siv", "AES_256_SIV_GCM", aes256_gcm_siv),
#endif
};
static const cs_table symmetric = CS_TABLE(rows);

static const cs_library library = {
    .abi = CS_ABI,
    .id = "gnutls",
    .version = library_version,
    .version_from = "library",
    .tables = CS_TABLES(&symmetric, &gnutls_hashes, &gnutls_random, &gnutls_pkey, &gnutls_ffdh, &gnutls_rsa,
                        &gnutls_dsa, &gnutls_kdf, &gnutls_import, &gnutls_x509),
};

CS_WORKER_MAIN(library)
