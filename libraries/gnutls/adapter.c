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
#include "adapter_random.h"
#include "adapter_import.h"
#include "adapter_x509.h"
#include "adapter_rsa.h"
#include "adapter_modes.h"
#include "adapter_agree.h"
#include "adapter_ffdh.h"
#include "adapter_dsa.h"
#include "adapter_kdf.h"

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

/* ---- table ---- */

static const gnutls_digest_algorithm_t sha224 = GNUTLS_DIG_SHA224, sha384 = GNUTLS_DIG_SHA384,
                                       sha3_384 = GNUTLS_DIG_SHA3_384, sha3_512 = GNUTLS_DIG_SHA3_512;
static const gnutls_digest_algorithm_t md5 = GNUTLS_DIG_MD5, sha1 = GNUTLS_DIG_SHA1, sha256 = GNUTLS_DIG_SHA256,
                                       sha512 = GNUTLS_DIG_SHA512, sha3_256 = GNUTLS_DIG_SHA3_256;
static const gnutls_digest_algorithm_t rmd160 = GNUTLS_DIG_RMD160;
static const gnutls_mac_algorithm_t hmac_sha1 = GNUTLS_MAC_SHA1, hmac_sha384 = GNUTLS_MAC_SHA384,
                                    hmac_sha512 = GNUTLS_MAC_SHA512;
static const gnutls_mac_algorithm_t hmac_sha256 = GNUTLS_MAC_SHA256, cmac_128 = GNUTLS_MAC_AES_CMAC_128,
                                    cmac_256 = GNUTLS_MAC_AES_CMAC_256;
static const gnutls_cipher_algorithm_t aes128_cbc = GNUTLS_CIPHER_AES_128_CBC, aes256_cbc = GNUTLS_CIPHER_AES_256_CBC,
                                       des3_cbc = GNUTLS_CIPHER_3DES_CBC, chacha20 = GNUTLS_CIPHER_CHACHA20_32,
                                       aes128_gcm = GNUTLS_CIPHER_AES_128_GCM, aes256_gcm = GNUTLS_CIPHER_AES_256_GCM,
                                       chacha20_poly1305 = GNUTLS_CIPHER_CHACHA20_POLY1305;

#define HASH(ID, NAME, PARAM)                                                                                          \
    {.id = ID "/hash",                                                                                                 \
     .impl = "default",                                                                                                \
     .name = "gnutls_hash " NAME,                                                                                      \
     .setup = hash_setup,                                                                                              \
     .call = hash_call,                                                                                                \
     .teardown = hash_teardown,                                                                                        \
     .param = &(PARAM)},                                                                                               \
    {                                                                                                                  \
        .id = ID "/hash", .impl = "oneshot", .name = "gnutls_hash_fast " NAME, .setup = oneshot_hash_setup,            \
        .call = oneshot_hash_call, .param = &(PARAM)                                                                   \
    }
#define SHAKE(ID, NAME, ALGORITHM, BYTES)                                                                              \
    {                                                                                                                  \
        .id = ID "/hash", .impl = "default", .name = "gnutls_hash_squeeze " NAME, .setup = shake_setup,                \
        .call = shake_call, .param = &(const struct shake)                                                             \
        {                                                                                                              \
            ALGORITHM, BYTES                                                                                           \
        }                                                                                                              \
    }
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
#define ECDH(ID, PARAM)                                                                                                \
    {.id = ID "/derive",                                                                                               \
     .impl = "default",                                                                                                \
     .name = "gnutls_privkey_derive_secret",                                                                           \
     .setup = ecdh_setup,                                                                                              \
     .call = ecdh_call,                                                                                                \
     .teardown = key_teardown,                                                                                         \
     .param = &(PARAM),                                                                                                \
     .rekey = cs_setup_again}
#define SIGN(ID, IMPL, NAME, PARAM, FORM)                                                                              \
    {.id = ID "/sign",                                                                                                 \
     .impl = IMPL,                                                                                                     \
     .name = "gnutls_privkey_sign_data2 " NAME,                                                                        \
     .setup = sign_setup,                                                                                              \
     .call = sign_call,                                                                                                \
     .teardown = key_teardown,                                                                                         \
     .param = &(PARAM),                                                                                                \
     .form = FORM,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_random}
#define VERIFY(ID, NAME, PARAM, FORM)                                                                                  \
    {.id = ID "/verify",                                                                                               \
     .impl = "default",                                                                                                \
     .name = "gnutls_pubkey_verify_data2 " NAME,                                                                       \
     .setup = verify_setup,                                                                                            \
     .call = verify_call,                                                                                              \
     .teardown = key_teardown,                                                                                         \
     .param = &(PARAM),                                                                                                \
     .form = FORM,                                                                                                     \
     .rekey = cs_setup_again}
#define KEYGEN(ID, PARAM)                                                                                              \
    {.id = ID "/keygen",                                                                                               \
     .impl = "default",                                                                                                \
     .name = "gnutls_privkey_generate",                                                                                \
     .setup = keygen_setup,                                                                                            \
     .call = keygen_call,                                                                                              \
     .param = &(PARAM),                                                                                                \
     .seed = seed_random}

static const cs_op ops[] = {
    HASH("md5", "MD5", md5),
    HASH("sha-1", "SHA1", sha1),
    HASH("sha-256", "SHA256", sha256),
    HASH("sha-512", "SHA512", sha512),
    HASH("sha3-256", "SHA3_256", sha3_256),
    HASH("sha-224", "SHA224", sha224),
    HASH("sha-384", "SHA384", sha384),
    HASH("sha3-384", "SHA3_384", sha3_384),
    HASH("sha3-512", "SHA3_512", sha3_512),
#if GNUTLS_VERSION_NUMBER >= 0x030806
    SHAKE("shake128", "SHAKE_128", GNUTLS_DIG_SHAKE_128, 32),
    SHAKE("shake256", "SHAKE_256", GNUTLS_DIG_SHAKE_256, 64),
#endif
    {.id = "ripemd-160/hash",
     .impl = "default",
     .name = "gnutls_hash RMD160",
     .setup = hash_setup,
     .call = hash_call,
     .teardown = hash_teardown,
     .param = &rmd160,
     .unavailable = hash_unavailable},
    MAC("hmac-sha-1", "SHA1", hmac_sha1),
    RANDOM_ROWS,
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
    MODE_ROWS,
#if GNUTLS_VERSION_NUMBER >= 0x030802
    {.id = "x25519/derive",
     .impl = "default",
     .name = "gnutls_privkey_derive_secret",
     .setup = x25519_setup,
     .call = x25519_call,
     .teardown = key_teardown,
     .rekey = cs_setup_again},
#endif
#if GNUTLS_VERSION_NUMBER >= 0x030802
    ECDH("p-256", ecdsa_p256),
    ECDH("p-384", ecdsa_p384),
    ECDH("p-521", ecdsa_p521),
    {.id = "x448/derive",
     .impl = "default",
     .name = "gnutls_privkey_derive_secret",
     .setup = x448_setup,
     .call = x25519_call,
     .teardown = key_teardown,
     .rekey = cs_setup_again},
#endif
    SIGN("ed448", "default", "EDDSA_ED448", ed448, NULL),
    VERIFY("ed448", "EDDSA_ED448", ed448, NULL),
    KEYGEN("x448", x448_pair),
    KEYGEN("ed448", ed448_pair),
    SIGN("ed25519", "default", "EDDSA_ED25519", ed25519, NULL),
    VERIFY("ed25519", "EDDSA_ED25519", ed25519, NULL),
    SIGN("ecdsa-p256-sha256", "default", "ECDSA_SECP256R1_SHA256", ecdsa_p256, "der"),
    SIGN("ecdsa-p256-sha256", "rfc6979", "ECDSA_SECP256R1_SHA256, REPRODUCIBLE", ecdsa_p256_rfc6979, "der"),
    VERIFY("ecdsa-p256-sha256", "ECDSA_SECP256R1_SHA256", ecdsa_p256, "der"),
    SIGN("ecdsa-p384-sha384", "default", "ECDSA_SECP384R1_SHA384", ecdsa_p384, "der"),
    SIGN("ecdsa-p384-sha384", "rfc6979", "ECDSA_SECP384R1_SHA384, REPRODUCIBLE", ecdsa_p384_rfc6979, "der"),
    VERIFY("ecdsa-p384-sha384", "ECDSA_SECP384R1_SHA384", ecdsa_p384, "der"),
    KEYGEN("p-384", p384_pair),
    SIGN("ecdsa-p521-sha512", "default", "ECDSA_SECP521R1_SHA512", ecdsa_p521, "der"),
    SIGN("ecdsa-p521-sha512", "rfc6979", "ECDSA_SECP521R1_SHA512, REPRODUCIBLE", ecdsa_p521_rfc6979, "der"),
    VERIFY("ecdsa-p521-sha512", "ECDSA_SECP521R1_SHA512", ecdsa_p521, "der"),
    KEYGEN("p-521", p521_pair),
    KEYGEN("x25519", x25519_pair),
    KEYGEN("ed25519", ed25519_pair),
    KEYGEN("p-256", p256_pair),
    KEYGEN("rsa-2048", rsa_2048_pair),
    KEYGEN("rsa-3072", rsa_3072_pair),
    KEYGEN("rsa-4096", rsa_4096_pair),

    AGREE_ROWS FFDH_ROWS RSA_ROWS,
    DSA_ROWS,
    KDF_ROWS,
    IMPORT_ROWS,
    X509_ROWS,
};

static const cs_library library = {
    .abi = CS_ABI,
    .id = "gnutls",
    .version = library_version,
    .version_from = "library",
    .tables = CS_ROWS(ops),
};

CS_WORKER_MAIN(library)
