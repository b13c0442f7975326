/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt 1.10 and later: https://www.gnupg.org/documentation/manuals/gcrypt/
 *
 * Symmetric handles are opened and keyed in setup; a call resets or gives the IV, processes and reads the result.
 * Entry points: gcry_md_*, gcry_mac_*; adapter_modes.c has those for ciphers, adapter_pkey.c for public keys.
 */
#include <stdio.h>
#include <string.h>

#include "adapter.h"

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

/* ---- rows ---- */

#define HASH(ALGORITHM, DIGEST)                                                                                        \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "GCRY_MD_" #DIGEST,                                                                                       \
     .setup = hash_setup,                                                                                              \
     .call = hash_call,                                                                                                \
     .teardown = hash_teardown,                                                                                        \
     .param = &(const struct algorithm){.algo = GCRY_MD_##DIGEST},                                                     \
     .unavailable = hash_unavailable},                                                                                 \
    {                                                                                                                  \
        .id = ALGORITHM "/hash", .impl = "oneshot", .name = "gcry_md_hash_buffer", .setup = oneshot_setup,             \
        .call = oneshot_call, .param = &(const struct algorithm){.algo = GCRY_MD_##DIGEST},                            \
        .unavailable = hash_unavailable                                                                                \
    }
#define HMAC(ALGORITHM, DIGEST)                                                                                        \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "default",                                                                                                \
     .name = "GCRY_MAC_HMAC_" #DIGEST,                                                                                 \
     .setup = mac_setup,                                                                                               \
     .call = mac_call,                                                                                                 \
     .rekey = mac_rekey,                                                                                               \
     .teardown = mac_teardown,                                                                                         \
     .param = &(const struct algorithm){.algo = GCRY_MAC_HMAC_##DIGEST},                                               \
     .unavailable = mac_unavailable}

/* clang-format off */
static const cs_op rows[] = {
    HASH("md5", MD5), HASH("sha-1", SHA1), HASH("sha-224", SHA224), HASH("sha-256", SHA256),
    HASH("sha-384", SHA384), HASH("sha-512", SHA512), HASH("sha-512-256", SHA512_256), HASH("sha3-256", SHA3_256),
    HASH("sha3-384", SHA3_384), HASH("sha3-512", SHA3_512), HASH("blake2b-512", BLAKE2B_512), HASH("blake2s-256", BLAKE2S_256),
    HASH("sm3", SM3), HASH("ripemd-160", RMD160),
    {.id = "shake128/hash", .impl = "default", .name = "GCRY_MD_SHAKE128", .setup = shake_setup, .call = shake_call, .teardown = hash_teardown, .param = &shake128, .unavailable = hash_unavailable},
    {.id = "shake256/hash", .impl = "default", .name = "GCRY_MD_SHAKE256", .setup = shake_setup, .call = shake_call, .teardown = hash_teardown, .param = &shake256, .unavailable = hash_unavailable},
    HMAC("hmac-sha-1", SHA1), HMAC("hmac-sha-256", SHA256), HMAC("hmac-sha-384", SHA384), HMAC("hmac-sha-512", SHA512),
    {.id = "cmac-aes-128/mac", .impl = "default", .name = "GCRY_MAC_CMAC_AES", .setup = mac_setup, .call = mac_call, .rekey = mac_rekey, .teardown = mac_teardown, .param = &cmac_aes128, .unavailable = mac_unavailable},
    {.id = "cmac-aes-256/mac", .impl = "default", .name = "GCRY_MAC_CMAC_AES", .setup = mac_setup, .call = mac_call, .rekey = mac_rekey, .teardown = mac_teardown, .param = &cmac_aes256, .unavailable = mac_unavailable},
    {.id = "poly1305/mac", .impl = "default", .name = "GCRY_MAC_POLY1305", .setup = mac_setup, .call = mac_call, .rekey = mac_rekey, .teardown = mac_teardown, .param = &poly1305, .unavailable = mac_unavailable},
};
/* clang-format on */

static const cs_table own = CS_TABLE(rows);

static const cs_library library = {
    .abi = CS_ABI,
    .id = "libgcrypt",
    .version = library_version,
    .version_from = "library",
    .cpu_path = library_cpu_path,
    .open = library_open,
    .tables = CS_TABLES(&own, &libgcrypt_modes, &libgcrypt_pkey, &libgcrypt_ecdh, &libgcrypt_multiples,
                        &libgcrypt_curve448, &libgcrypt_keys, &libgcrypt_rsa, &libgcrypt_dsa, &libgcrypt_kem,
                        &libgcrypt_pq, &libgcrypt_kdf, &libgcrypt_random, &libgcrypt_bignum, &libgcrypt_bignum_crt),
};

CS_WORKER_MAIN(library)
