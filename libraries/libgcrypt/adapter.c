/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt 1.10 and later: https://www.gnupg.org/documentation/manuals/gcrypt/
 *
 * Symmetric handles are opened and keyed in setup; a call resets or gives the IV, processes and reads the result.
 * Entry points: gcry_md_*, gcry_mac_*, gcry_cipher_*; adapter_pkey.c has those for public keys.
 */
#include <stdio.h>
#include <string.h>

#include <gcrypt.h>

#include "adapter.h"
#include "adapter_bignum.h"
#include "adapter_kem.h"
#include "adapter_keys.h"
#include "adapter_modes.h"
#include "adapter_digests.h"
#include "adapter_random.h"
#include "adapter_dsa.h"
#include "adapter_rsa.h"
#include "adapter_pq.h"
#include "adapter_nist.h"
#include "adapter_curve448.h"
#include "adapter_brainpool.h"
#include "adapter_kdf.h"

/* ---- library ---- */

static const char *library_version(void)
{
    return gcry_check_version(NULL);
}

/* The hardware features the library found and may use, as its own colon-separated list, without the list's name. */
static const char *library_cpu_path(void)
{
    static const char name[] = "hwflist:";
    static char text[512];
    char *line = gcry_get_config(0, "hwflist");

    if (line == NULL)
        return NULL;
    (void)snprintf(text, sizeof text, "%s", strncmp(line, name, strlen(name)) == 0 ? line + strlen(name) : line);
    gcry_free(line);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

/* A name that this version does not know is no feature that it could use; if it knows none, nothing is hidden. */
static int hide_features(const char *names)
{
    char name[64];
    int known = 0;

    while (*names != '\0') {
        const size_t len = strcspn(names, ":");
        (void)snprintf(name, sizeof name, "%.*s", (int)len, names);
        known |= gcry_control(GCRYCTL_DISABLE_HWF, name, NULL) == 0;
        names += names[len] == ':' ? len + 1 : len;
    }
    return known ? CS_OK : cs_fail("Libgcrypt knows none of the features that the mask hides");
}

static int library_open(void)
{
    const char *hidden = cs_hidden_features();

    /* Before the library looks at the processor, which is in the next call. */
    if (hidden != NULL && hide_features(hidden) != CS_OK)
        return CS_ERROR;
    if (gcry_check_version("1.10.0") == NULL)
        return cs_fail("Libgcrypt is older than 1.10");
    if (gcry_control(GCRYCTL_DISABLE_SECMEM, 0) != 0 || gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0) != 0)
        return cs_fail("Libgcrypt does not initialise");
    return CS_OK;
}

int fail(const char *entry_point, gcry_error_t error)
{
    char text[256];

    (void)snprintf(text, sizeof text, "%s: %s", entry_point, gcry_strerror(error));
    return cs_fail(text);
}

/* ---- hash ---- */

struct algorithm {
    int algo;
    int mode; /* ciphers only */
};

static const struct algorithm md5 = {.algo = GCRY_MD_MD5};
static const struct algorithm sha1 = {.algo = GCRY_MD_SHA1};
static const struct algorithm sha256 = {.algo = GCRY_MD_SHA256};
static const struct algorithm sha512 = {.algo = GCRY_MD_SHA512};
static const struct algorithm sha3_256 = {.algo = GCRY_MD_SHA3_256};
static const struct algorithm blake2b_512 = {.algo = GCRY_MD_BLAKE2B_512};

static const struct algorithm sha224 = {.algo = GCRY_MD_SHA224};
static const struct algorithm sha384 = {.algo = GCRY_MD_SHA384};
static const struct algorithm sha512_256 = {.algo = GCRY_MD_SHA512_256};
static const struct algorithm sha3_384 = {.algo = GCRY_MD_SHA3_384};
static const struct algorithm sha3_512 = {.algo = GCRY_MD_SHA3_512};
static const struct algorithm blake2s_256 = {.algo = GCRY_MD_BLAKE2S_256};
static const struct algorithm shake128 = {.algo = GCRY_MD_SHAKE128};
static const struct algorithm shake256 = {.algo = GCRY_MD_SHAKE256};

static const char *hash_unavailable(const struct cs_op *op)
{
    const struct algorithm *hash = op->param;

    return gcry_md_test_algo(hash->algo) == 0 ? NULL : "this build or mode of Libgcrypt has it disabled";
}

static int hash_setup(cs_case *c)
{
    const struct algorithm *hash = c->op->param;
    gcry_md_hd_t md;
    gcry_error_t error = gcry_md_open(&md, hash->algo, 0);

    if (error != 0)
        return fail("gcry_md_open", error);
    c->state = md;
    c->out_len = gcry_md_get_algo_dlen(hash->algo);
    return CS_OK;
}

/* Reading the digest finishes it; it stays in the handle, hence the copy. */
static int hash_call(cs_case *c)
{
    gcry_md_hd_t md = c->state;
    const uint8_t *digest;

    gcry_md_reset(md);
    gcry_md_write(md, c->msg.data, c->msg.len);
    digest = gcry_md_read(md, 0);
    if (digest == NULL)
        return cs_fail("gcry_md_read");
    memcpy(c->out, digest, c->out_len);
    return CS_OK;
}

/* Of a function of extendable output the library knows no length: it is as long as the catalogue says. */
static int shake_setup(cs_case *c)
{
    const struct algorithm *hash = c->op->param;
    int status = hash_setup(c);

    c->out_len = hash->algo == GCRY_MD_SHAKE128 ? 32 : 64;
    return status;
}

static int shake_call(cs_case *c)
{
    const struct algorithm *hash = c->op->param;
    gcry_md_hd_t md = c->state;
    gcry_error_t error;

    gcry_md_reset(md);
    gcry_md_write(md, c->msg.data, c->msg.len);
    error = gcry_md_extract(md, hash->algo, c->out, c->out_len);
    return error == 0 ? CS_OK : fail("gcry_md_extract", error);
}

static int oneshot_setup(cs_case *c)
{
    const struct algorithm *hash = c->op->param;

    c->out_len = gcry_md_get_algo_dlen(hash->algo);
    return CS_OK;
}

static int oneshot_call(cs_case *c)
{
    const struct algorithm *hash = c->op->param;

    gcry_md_hash_buffer(hash->algo, c->out, c->msg.data, c->msg.len);
    return CS_OK;
}

static void hash_teardown(cs_case *c)
{
    gcry_md_close(c->state);
    c->state = NULL;
}

/* ---- mac ---- */

static const struct algorithm hmac_sha256 = {.algo = GCRY_MAC_HMAC_SHA256};
static const struct algorithm cmac_aes128 = {.algo = GCRY_MAC_CMAC_AES};
static const struct algorithm cmac_aes256 = {.algo = GCRY_MAC_CMAC_AES};
static const struct algorithm poly1305 = {.algo = GCRY_MAC_POLY1305};

static const char *mac_unavailable(const struct cs_op *op)
{
    const struct algorithm *kind = op->param;

    return gcry_mac_test_algo(kind->algo) == 0 ? NULL : "this build or mode of Libgcrypt has it disabled";
}

static int mac_setup(cs_case *c)
{
    const struct algorithm *kind = c->op->param;
    gcry_mac_hd_t mac;
    gcry_error_t error;

    error = gcry_mac_open(&mac, kind->algo, 0, NULL);
    if (error != 0)
        return fail("gcry_mac_open", error);
    error = gcry_mac_setkey(mac, c->key.data, c->key.len);
    if (error != 0) {
        gcry_mac_close(mac);
        return fail("gcry_mac_setkey", error);
    }
    c->state = mac;
    c->out_len = gcry_mac_get_algo_maclen(kind->algo);
    return CS_OK;
}

static int mac_rekey(cs_case *c)
{
    gcry_error_t error = gcry_mac_setkey(c->state, c->key.data, c->key.len);

    return error == 0 ? CS_OK : fail("gcry_mac_setkey", error);
}

static int mac_call(cs_case *c)
{
    gcry_mac_hd_t mac = c->state;
    size_t len = c->out_len;
    gcry_error_t error = gcry_mac_reset(mac);

    if (error == 0)
        error = gcry_mac_write(mac, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_mac_read(mac, c->out, &len);
    return error == 0 ? CS_OK : fail("gcry_mac", error);
}

static void mac_teardown(cs_case *c)
{
    gcry_mac_close(c->state);
    c->state = NULL;
}

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

enum { TAG_BYTES = 16 };

static const struct algorithm aes128_gcm = {GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_GCM};
static const struct algorithm aes192_gcm = {GCRY_CIPHER_AES192, GCRY_CIPHER_MODE_GCM};
static const struct algorithm aes256_gcm = {GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_GCM};
static const struct algorithm chacha20_poly1305 = {GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_POLY1305};

static int seal_setup(cs_case *c)
{
    int status = cipher_setup(c);

    c->out_len = c->msg.len + TAG_BYTES;
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
        error = gcry_cipher_gettag(c->state, c->out + c->msg.len, TAG_BYTES);
    return error == 0 ? CS_OK : fail("Libgcrypt seal", error);
}

static int open_call(cs_case *c)
{
    gcry_error_t error = start_aead(c);

    if (error == 0)
        error = gcry_cipher_decrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_checktag(c->state, c->tag.data, TAG_BYTES);
    if (error == 0)
        return CS_OK;
    return gcry_err_code(error) == GPG_ERR_CHECKSUM ? CS_REJECTED : fail("Libgcrypt open", error);
}

/* ---- table ---- */

#define ONESHOT(ALGORITHM, KIND)                                                                                       \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = "oneshot",                                                                                                \
     .name = "gcry_md_hash_buffer",                                                                                    \
     .setup = oneshot_setup,                                                                                           \
     .call = oneshot_call,                                                                                             \
     .param = &(KIND),                                                                                                 \
     .unavailable = hash_unavailable}

/* clang-format off */
static const cs_op ops[] = {
    {.id = "md5/hash", .impl = "default", .name = "GCRY_MD_MD5", .setup = hash_setup, .call = hash_call, .teardown = hash_teardown, .param = &md5, .unavailable = hash_unavailable},
    {.id = "sha-1/hash", .impl = "default", .name = "GCRY_MD_SHA1", .setup = hash_setup, .call = hash_call, .teardown = hash_teardown, .param = &sha1, .unavailable = hash_unavailable},
    {.id = "sha-256/hash", .impl = "default", .name = "GCRY_MD_SHA256", .setup = hash_setup, .call = hash_call, .teardown = hash_teardown, .param = &sha256, .unavailable = hash_unavailable},
    {.id = "sha-512/hash", .impl = "default", .name = "GCRY_MD_SHA512", .setup = hash_setup, .call = hash_call, .teardown = hash_teardown, .param = &sha512, .unavailable = hash_unavailable},
    {.id = "sha3-256/hash", .impl = "default", .name = "GCRY_MD_SHA3_256", .setup = hash_setup, .call = hash_call, .teardown = hash_teardown, .param = &sha3_256, .unavailable = hash_unavailable},
    {.id = "blake2b-512/hash", .impl = "default", .name = "GCRY_MD_BLAKE2B_512", .setup = hash_setup, .call = hash_call, .teardown = hash_teardown, .param = &blake2b_512, .unavailable = hash_unavailable},
    ONESHOT("md5", md5), ONESHOT("sha-1", sha1), ONESHOT("sha-256", sha256), ONESHOT("sha-512", sha512), ONESHOT("sha3-256", sha3_256), ONESHOT("blake2b-512", blake2b_512),
    {.id = "sha-224/hash", .impl = "default", .name = "GCRY_MD_SHA224", .setup = hash_setup, .call = hash_call, .teardown = hash_teardown, .param = &sha224, .unavailable = hash_unavailable},
    {.id = "sha-384/hash", .impl = "default", .name = "GCRY_MD_SHA384", .setup = hash_setup, .call = hash_call, .teardown = hash_teardown, .param = &sha384, .unavailable = hash_unavailable},
    {.id = "sha-512-256/hash", .impl = "default", .name = "GCRY_MD_SHA512_256", .setup = hash_setup, .call = hash_call, .teardown = hash_teardown, .param = &sha512_256, .unavailable = hash_unavailable},
    {.id = "sha3-384/hash", .impl = "default", .name = "GCRY_MD_SHA3_384", .setup = hash_setup, .call = hash_call, .teardown = hash_teardown, .param = &sha3_384, .unavailable = hash_unavailable},
    {.id = "sha3-512/hash", .impl = "default", .name = "GCRY_MD_SHA3_512", .setup = hash_setup, .call = hash_call, .teardown = hash_teardown, .param = &sha3_512, .unavailable = hash_unavailable},
    {.id = "blake2s-256/hash", .impl = "default", .name = "GCRY_MD_BLAKE2S_256", .setup = hash_setup, .call = hash_call, .teardown = hash_teardown, .param = &blake2s_256, .unavailable = hash_unavailable},
    {.id = "shake128/hash", .impl = "default", .name = "GCRY_MD_SHAKE128", .setup = shake_setup, .call = shake_call, .teardown = hash_teardown, .param = &shake128, .unavailable = hash_unavailable},
    {.id = "shake256/hash", .impl = "default", .name = "GCRY_MD_SHAKE256", .setup = shake_setup, .call = shake_call, .teardown = hash_teardown, .param = &shake256, .unavailable = hash_unavailable},
    ONESHOT("sha-224", sha224), ONESHOT("sha-384", sha384), ONESHOT("sha-512-256", sha512_256), ONESHOT("sha3-384", sha3_384), ONESHOT("sha3-512", sha3_512), ONESHOT("blake2s-256", blake2s_256),
    OTHER_HASHES,

    {.id = "hmac-sha-256/mac", .impl = "default", .name = "GCRY_MAC_HMAC_SHA256", .setup = mac_setup, .call = mac_call, .rekey = mac_rekey, .teardown = mac_teardown, .param = &hmac_sha256, .unavailable = mac_unavailable},
    OTHER_HMACS,
    {.id = "cmac-aes-128/mac", .impl = "default", .name = "GCRY_MAC_CMAC_AES", .setup = mac_setup, .call = mac_call, .rekey = mac_rekey, .teardown = mac_teardown, .param = &cmac_aes128, .unavailable = mac_unavailable},
    {.id = "cmac-aes-256/mac", .impl = "default", .name = "GCRY_MAC_CMAC_AES", .setup = mac_setup, .call = mac_call, .rekey = mac_rekey, .teardown = mac_teardown, .param = &cmac_aes256, .unavailable = mac_unavailable},
    {.id = "poly1305/mac", .impl = "default", .name = "GCRY_MAC_POLY1305", .setup = mac_setup, .call = mac_call, .rekey = mac_rekey, .teardown = mac_teardown, .param = &poly1305, .unavailable = mac_unavailable},

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
    MODE_ROWS,

    {.id = "x25519/multiply-base", .impl = "default", .name = "gcry_ecc_mul_point Curve25519, NULL", .setup = x25519_setup, .call = x25519_base_call},
    {.id = "x25519/derive", .impl = "default", .name = "gcry_ecc_mul_point Curve25519", .setup = x25519_setup, .call = x25519_call, .rekey = cs_key_in_call},

    {.id = "ed25519/sign", .impl = "default", .name = "gcry_pk_sign Ed25519", .setup = ed25519_sign_setup, .call = ed25519_sign_call, .rekey = cs_setup_again, .teardown = sig_teardown},
    {.id = "ed25519/verify", .impl = "default", .name = "gcry_pk_verify Ed25519", .setup = ed25519_verify_setup, .call = ed25519_verify_call, .rekey = cs_setup_again, .teardown = sig_teardown},
    {.id = "ecdsa-p256-sha256/sign", .impl = "default", .name = "gcry_pk_sign NIST P-256", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &ecdsa_p256, .form = "p1363", .seed = ecdsa_seed},
    {.id = "ecdsa-p256-sha256/sign", .impl = "rfc6979", .name = "gcry_pk_sign NIST P-256 (flags rfc6979)", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &ecdsa_p256_rfc6979, .form = "p1363", .seed = ecdsa_seed},
    {.id = "ecdsa-p256-sha256/verify", .impl = "default", .name = "gcry_pk_verify NIST P-256", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &ecdsa_p256, .form = "p1363"},
    {.id = "ecdsa-secp256k1-sha256/sign", .impl = "default", .name = "gcry_pk_sign secp256k1", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &ecdsa_secp256k1, .form = "p1363", .seed = ecdsa_seed},
    {.id = "ecdsa-secp256k1-sha256/sign", .impl = "rfc6979", .name = "gcry_pk_sign secp256k1 (flags rfc6979)", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &ecdsa_secp256k1_rfc6979, .form = "p1363", .seed = ecdsa_seed},
    {.id = "ecdsa-secp256k1-sha256/verify", .impl = "default", .name = "gcry_pk_verify secp256k1", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &ecdsa_secp256k1, .form = "p1363"},

    KEYGEN_ROWS,

    CURVE448_ROWS,
    BRAINPOOL_ROWS,
    RSA_ROWS,
    DSA_ROWS,
    NIST_ROWS,
    RANDOM_ROWS,
#ifdef GCRY_KEM_MLKEM_RANDOM_LEN
    KEM_ROWS,
#endif
#if GCRYPT_VERSION_NUMBER >= 0x010c00
    ML_DSA_ROWS,
#endif

    BIGNUM_ROWS,
    KDF_ROWS,
};
/* clang-format on */

static const cs_library library = {
    .abi = CS_ABI,
    .id = "libgcrypt",
    .version = library_version,
    .version_from = "library",
    .cpu_path = library_cpu_path,
    .open = library_open,
    .tables = CS_ROWS(ops),
};

CS_WORKER_MAIN(library)
