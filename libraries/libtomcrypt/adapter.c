/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt 1.18: https://www.libtom.net/LibTomCrypt/
 *
 * States are structs of the caller's; algorithms are looked up in tables that a program fills at start. Entry points:
 * the tables ltc_hash_descriptor, hash_memory, hmac_*, omac_*, poly1305_*; adapter_cipher.c has those of ciphers and of
 * authenticated encryption, adapter_pkey.c, adapter_keys.c and adapter_rsa.c those of public keys. Each file has its
 * rows at its end.
 */
#include "adapter.h"

#include <stdio.h>

/* ---- library ---- */

int aes_cipher, camellia_cipher, des3_cipher, sha256_hash;

static const struct ltc_hash_descriptor *const hashes[] = {
    &md5_desc,    &sha1_desc,       &sha256_desc,   &sha512_desc,   &sha3_256_desc,    &blake2b_512_desc, &sha224_desc,
    &sha384_desc, &sha512_256_desc, &sha3_384_desc, &sha3_512_desc, &blake2s_256_desc, &rmd160_desc};

/* The provider of numbers is the program's choice, and the only thing in which the builds differ. */
static int open_library(void)
{
#ifdef GMP_DESC
    ltc_mp = gmp_desc;
#else
    ltc_mp = ltm_desc;
#endif
    for (size_t i = 0; i < CS_COUNT(hashes); i++)
        if (register_hash(hashes[i]) < 0)
            return cs_fail("register_hash");
    aes_cipher = register_cipher(&aes_desc);
    camellia_cipher = register_cipher(&camellia_desc);
    des3_cipher = register_cipher(&des3_desc);
    sha256_hash = find_hash(sha256_desc.name);
    return aes_cipher < 0 || camellia_cipher < 0 || des3_cipher < 0 || sha256_hash < 0 ? cs_fail("register_cipher")
                                                                                       : CS_OK;
}

/* The library's description of itself begins with its name and version. */
static const char *library_version(void)
{
    static char text[32];

    return sscanf(crypt_build_settings, "LibTomCrypt %31[0-9.]", text) == 1 ? text : "unknown";
}

/* ---- randomness ---- */

prng_state random_state;
int random_prng;

static unsigned long counted_read(unsigned char *out, unsigned long len, prng_state *prng)
{
    cs_random_drawn(len);
    return yarrow_desc.read(out, len, prng);
}

const char *seed_random(void)
{
    static struct ltc_prng_descriptor generator;

    generator = yarrow_desc;
    if (cs_counts_random())
        generator.read = counted_read;
    random_prng = register_prng(&generator);
    if (random_prng < 0)
        return "register_prng fails";
    return rng_make_prng(128, random_prng, &random_state, NULL) == CRYPT_OK ? NULL : "rng_make_prng fails: no seed";
}

/* ---- hash ---- */

static int hash_setup(cs_case *c)
{
    const struct ltc_hash_descriptor *hash = c->op->param;

    c->out_len = hash->hashsize;
    return cs_new_state(c, sizeof(hash_state)) == NULL ? CS_ERROR : CS_OK;
}

static int hash_call(cs_case *c)
{
    const struct ltc_hash_descriptor *hash = c->op->param;
    int error = hash->init(c->state);

    if (error == CRYPT_OK)
        error = hash->process(c->state, c->msg.data, c->msg.len);
    return from_ltc(error == CRYPT_OK ? hash->done(c->state, c->out) : error);
}

struct oneshot {
    int index; /* in the library's table */
};

static int hash_oneshot_setup(cs_case *c)
{
    const struct ltc_hash_descriptor *hash = c->op->param;
    struct oneshot *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->index = find_hash(hash->name);
    return CS_OK;
}

static int hash_oneshot(cs_case *c)
{
    const struct oneshot *s = c->state;
    unsigned long len = c->out_cap;
    int error = hash_memory(s->index, c->msg.data, c->msg.len, c->out, &len);

    c->out_len = len;
    return from_ltc(error);
}

/* SHAKE has no descriptor; its strength in bits is a number of the interface, and the output here twice as long. */
static int shake_oneshot_setup(cs_case *c)
{
    const int *strength = c->op->param;

    c->out_len = (size_t)*strength / 4;
    return CS_OK;
}

static int shake_setup(cs_case *c)
{
    (void)shake_oneshot_setup(c);
    return cs_new_state(c, sizeof(hash_state)) == NULL ? CS_ERROR : CS_OK;
}

static int shake_call(cs_case *c)
{
    const int *strength = c->op->param;
    int error = sha3_shake_init(c->state, *strength);

    if (error == CRYPT_OK)
        error = sha3_shake_process(c->state, c->msg.data, c->msg.len);
    return from_ltc(error == CRYPT_OK ? sha3_shake_done(c->state, c->out, c->out_len) : error);
}

static int shake_oneshot(cs_case *c)
{
    const int *strength = c->op->param;
    unsigned long len = c->out_len;

    return from_ltc(sha3_shake_memory(*strength, c->msg.data, c->msg.len, c->out, &len));
}

/* ---- mac: taking the tag ends the state, and the library has no function that keeps it ---- */

static int mac_setup(cs_case *c, size_t state, size_t tag)
{
    c->out_len = tag;
    return cs_new_state(c, state) == NULL ? CS_ERROR : CS_OK;
}

struct hmac_case {
    int hash; /* in the library's table */
    hmac_state state;
};

static int hmac_setup(cs_case *c)
{
    const struct ltc_hash_descriptor *hash = c->op->param;
    struct hmac_case *s;

    if (mac_setup(c, sizeof *s, hash->hashsize) != CS_OK)
        return CS_ERROR;
    s = c->state;
    s->hash = find_hash(hash->name);
    return CS_OK;
}

static int hmac_call(cs_case *c)
{
    struct hmac_case *s = c->state;
    unsigned long len = c->out_len;
    int error = hmac_init(&s->state, s->hash, c->key.data, c->key.len);

    if (error == CRYPT_OK)
        error = hmac_process(&s->state, c->msg.data, c->msg.len);
    return from_ltc(error == CRYPT_OK ? hmac_done(&s->state, c->out, &len) : error);
}

static int cmac_setup(cs_case *c)
{
    return mac_setup(c, sizeof(omac_state), 16);
}

static int cmac_call(cs_case *c)
{
    unsigned long len = c->out_len;
    int error = omac_init(c->state, aes_cipher, c->key.data, c->key.len);

    if (error == CRYPT_OK)
        error = omac_process(c->state, c->msg.data, c->msg.len);
    return from_ltc(error == CRYPT_OK ? omac_done(c->state, c->out, &len) : error);
}

static int poly1305_setup(cs_case *c)
{
    return mac_setup(c, sizeof(poly1305_state), 16);
}

static int poly1305_call(cs_case *c)
{
    unsigned long len = c->out_len;
    int error = poly1305_init(c->state, c->key.data, c->key.len);

    if (error == CRYPT_OK)
        error = poly1305_process(c->state, c->msg.data, c->msg.len);
    return from_ltc(error == CRYPT_OK ? poly1305_done(c->state, c->out, &len) : error);
}

static int tag16_setup(cs_case *c)
{
    c->out_len = 16;
    return CS_OK;
}

static int hmac_oneshot(cs_case *c)
{
    const struct hmac_case *s = c->state;
    unsigned long len = c->out_len;

    return from_ltc(hmac_memory(s->hash, c->key.data, c->key.len, c->msg.data, c->msg.len, c->out, &len));
}

static int cmac_oneshot(cs_case *c)
{
    unsigned long len = c->out_len;

    return from_ltc(omac_memory(aes_cipher, c->key.data, c->key.len, c->msg.data, c->msg.len, c->out, &len));
}

static int poly1305_oneshot(cs_case *c)
{
    unsigned long len = c->out_len;

    return from_ltc(poly1305_memory(c->key.data, c->key.len, c->msg.data, c->msg.len, c->out, &len));
}

/* ---- rows ---- */

/* clang-format off */
#define HASH_ROWS(ALGORITHM, NAME)                                                                                     \
    {.id = ALGORITHM "/hash", .impl = "default", .name = #NAME "_init, _process, _done", .setup = hash_setup, .call = hash_call, .teardown = cs_teardown_state, .param = &NAME##_desc}, \
    {.id = ALGORITHM "/hash", .impl = "oneshot", .name = "hash_memory " #NAME, .setup = hash_oneshot_setup, .call = hash_oneshot, .teardown = cs_teardown_state, .param = &NAME##_desc}
#define SHAKE_ROWS(BITS)                                                                                               \
    {.id = "shake" #BITS "/hash", .impl = "default", .name = "sha3_shake_init, _process, _done", .setup = shake_setup, .call = shake_call, .teardown = cs_teardown_state, .param = &(const int){BITS}}, \
    {.id = "shake" #BITS "/hash", .impl = "oneshot", .name = "sha3_shake_memory", .setup = shake_oneshot_setup, .call = shake_oneshot, .param = &(const int){BITS}}
#define HMAC_ROWS(ALGORITHM, HASH)                                                                                     \
    {.id = ALGORITHM "/mac", .impl = "default", .name = "hmac_init, _process, _done " #HASH, .setup = hmac_setup, .call = hmac_call, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &HASH##_desc}, \
    {.id = ALGORITHM "/mac", .impl = "oneshot", .name = "hmac_memory " #HASH, .setup = hmac_setup, .call = hmac_oneshot, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &HASH##_desc}
#define MAC_ROWS(ALGORITHM, NAME, CALLS, TAG_SETUP)                                                                    \
    {.id = ALGORITHM "/mac", .impl = "default", .name = NAME "_init, _process, _done", .setup = CALLS##_setup, .call = CALLS##_call, .rekey = cs_key_in_call, .teardown = cs_teardown_state}, \
    {.id = ALGORITHM "/mac", .impl = "oneshot", .name = NAME "_memory", .setup = TAG_SETUP, .call = CALLS##_oneshot, .rekey = cs_key_in_call}

static const cs_op rows[] = {
    HASH_ROWS("md5", md5),
    HASH_ROWS("sha-1", sha1),
    HASH_ROWS("sha-256", sha256),
    HASH_ROWS("sha-512", sha512),
    HASH_ROWS("sha3-256", sha3_256),
    HASH_ROWS("blake2b-512", blake2b_512),
    HASH_ROWS("sha-224", sha224),
    HASH_ROWS("sha-384", sha384),
    HASH_ROWS("sha-512-256", sha512_256),
    HASH_ROWS("sha3-384", sha3_384),
    HASH_ROWS("sha3-512", sha3_512),
    HASH_ROWS("blake2s-256", blake2s_256),
    HASH_ROWS("ripemd-160", rmd160),
    SHAKE_ROWS(128),
    SHAKE_ROWS(256),
    HMAC_ROWS("hmac-sha-1", sha1),
    HMAC_ROWS("hmac-sha-256", sha256),
    HMAC_ROWS("hmac-sha-384", sha384),
    HMAC_ROWS("hmac-sha-512", sha512),
    MAC_ROWS("cmac-aes-128", "omac", cmac, tag16_setup),
    MAC_ROWS("cmac-aes-256", "omac", cmac, tag16_setup),
    MAC_ROWS("poly1305", "poly1305", poly1305, tag16_setup),
};
/* clang-format on */

static const cs_table hashes_and_macs = CS_TABLE(rows);

static const cs_library library = {
    .abi = CS_ABI,
    .id = "libtomcrypt",
    .version = library_version,
    .version_from = "library",
    .cpu_path = NULL,
    .open = open_library,
    .tables = CS_TABLES(&hashes_and_macs, &libtomcrypt_ciphers, &libtomcrypt_modes, &libtomcrypt_pkey,
                        &libtomcrypt_keys, &libtomcrypt_rsa, &libtomcrypt_import, &libtomcrypt_padding,
                        &libtomcrypt_random, &libtomcrypt_ffdh, &libtomcrypt_dsa, &libtomcrypt_kdf),
};

CS_WORKER_MAIN(library)
