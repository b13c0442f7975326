/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: https://github.com/intel/cryptography-primitives
 *
 * Hashes and MACs through methods, the interface that its reference gives instead of a function for each hash. Each
 * file has its rows at its end. Entry points here: ippsHashUpdate_rmf, ippsHashFinal_rmf, ippsHashMessage_rmf,
 * ippsHMACUpdate_rmf, ippsHMACFinal_rmf, ippsAES_CMACUpdate, ippsAES_CMACFinal.
 */
#include <stdio.h>
#include <string.h>

#include "adapter.h"

/* ---- hash ---- */

struct hash {
    const IppsHashMethod *(*method)(void);
    size_t digest;
};

/* SHA-1 and SHA-256 by the processor's instructions if it has them: "tick-tock" in the library's words. */
static const struct hash md5 = {.method = ippsHashMethod_MD5, .digest = 16};
static const struct hash sha1 = {.method = ippsHashMethod_SHA1_TT, .digest = 20};
static const struct hash sha1_plain = {.method = ippsHashMethod_SHA1, .digest = 20};
static const struct hash sha2 = {.method = ippsHashMethod_SHA256_TT, .digest = 32};
static const struct hash sha2_plain = {.method = ippsHashMethod_SHA256, .digest = 32};
static const struct hash sha512 = {.method = ippsHashMethod_SHA512, .digest = 64};
static const struct hash sha224 = {.method = ippsHashMethod_SHA224_TT, .digest = 28};
static const struct hash sha224_plain = {.method = ippsHashMethod_SHA224, .digest = 28};
static const struct hash sha384 = {.method = ippsHashMethod_SHA384, .digest = 48};
static const struct hash sha512_256 = {.method = ippsHashMethod_SHA512_256, .digest = 32};

static const struct hash sm3 = {.method = ippsHashMethod_SM3, .digest = 32};

struct hashing {
    struct contexts all;
    const IppsHashMethod *method;
    IppsHashState_rmf *state;
};

static int setup_oneshot(cs_case *c)
{
    const struct hash *hash = c->op->param;
    struct hashing *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->method = hash->method();
    c->out_len = hash->digest;
    return CS_OK;
}

static int setup_hash(cs_case *c)
{
    struct hashing *s;
    int status = setup_oneshot(c), size;

    if (status != CS_OK)
        return status;
    s = c->state;
    status = from_ipp("ippsHashGetSize_rmf", ippsHashGetSize_rmf(&size));
    if (status == CS_OK && (s->state = new_context(&s->all, size)) == NULL)
        status = CS_ERROR;
    if (status == CS_OK)
        status = from_ipp("ippsHashInit_rmf", ippsHashInit_rmf(s->state, s->method));
    return status == CS_OK ? CS_OK : give_up(c, status);
}

/* The last function makes the state a new one. */
static int call_hash(cs_case *c)
{
    const struct hashing *s = c->state;
    IppStatus status = ippsHashUpdate_rmf(c->msg.data, (int)c->msg.len, s->state);

    return from_ipp("ippsHashFinal_rmf", status >= ippStsNoErr ? ippsHashFinal_rmf(c->out, s->state) : status);
}

static int call_oneshot(cs_case *c)
{
    const struct hashing *s = c->state;

    return from_ipp("ippsHashMessage_rmf", ippsHashMessage_rmf(c->msg.data, (int)c->msg.len, c->out, s->method));
}

/* ---- MAC ---- */

struct keyed {
    struct contexts all;
    IppsHMACState_rmf *hmac;
    IppsAES_CMACState *cmac;
    int size;
};

static int rekey_hmac(cs_case *c)
{
    const struct hash *hash = c->op->param;
    const struct keyed *s = c->state;

    return from_ipp("ippsHMACInit_rmf", ippsHMACInit_rmf(c->key.data, (int)c->key.len, s->hmac, hash->method()));
}

static int setup_hmac(cs_case *c)
{
    const struct hash *hash = c->op->param;
    struct keyed *s = cs_new_state(c, sizeof *s);
    int status;

    if (s == NULL)
        return CS_ERROR;
    status = from_ipp("ippsHMACGetSize_rmf", ippsHMACGetSize_rmf(&s->size));
    if (status == CS_OK && (s->hmac = new_context(&s->all, s->size)) == NULL)
        status = CS_ERROR;
    if (status == CS_OK)
        status = rekey_hmac(c);
    c->out_len = hash->digest;
    return status == CS_OK ? CS_OK : give_up(c, status);
}

/* The last function leaves the keyed state as it was, for which it hashes the padded key again. */
static int call_hmac(cs_case *c)
{
    const struct keyed *s = c->state;
    IppStatus status = ippsHMACUpdate_rmf(c->msg.data, (int)c->msg.len, s->hmac);

    return from_ipp("ippsHMACFinal_rmf",
                    status >= ippStsNoErr ? ippsHMACFinal_rmf(c->out, (int)c->out_len, s->hmac) : status);
}

static int call_hmac_oneshot(cs_case *c)
{
    const struct hash *hash = c->op->param;

    return from_ipp("ippsHMACMessage_rmf",
                    ippsHMACMessage_rmf(c->msg.data, (int)c->msg.len, c->key.data, (int)c->key.len, c->out,
                                        (int)hash->digest, hash->method()));
}

static int setup_hmac_oneshot(cs_case *c)
{
    const struct hash *hash = c->op->param;

    c->out_len = hash->digest;
    return CS_OK;
}

static int rekey_cmac(cs_case *c)
{
    const struct keyed *s = c->state;

    return from_ipp("ippsAES_CMACInit", ippsAES_CMACInit(c->key.data, (int)c->key.len, s->cmac, s->size));
}

static int setup_cmac(cs_case *c)
{
    struct keyed *s = cs_new_state(c, sizeof *s);
    int status;

    if (s == NULL)
        return CS_ERROR;
    status = from_ipp("ippsAES_CMACGetSize", ippsAES_CMACGetSize(&s->size));
    if (status == CS_OK && (s->cmac = new_context(&s->all, s->size)) == NULL)
        status = CS_ERROR;
    if (status == CS_OK)
        status = rekey_cmac(c);
    c->out_len = 16;
    return status == CS_OK ? CS_OK : give_up(c, status);
}

static int call_cmac(cs_case *c)
{
    const struct keyed *s = c->state;
    IppStatus status = ippsAES_CMACUpdate(c->msg.data, (int)c->msg.len, s->cmac);

    return from_ipp("ippsAES_CMACFinal",
                    status >= ippStsNoErr ? ippsAES_CMACFinal(c->out, (int)c->out_len, s->cmac) : status);
}

/* ---- rows ---- */

/* clang-format off */
#define HASH(ID, METHOD, NAME)                                                                                         \
    {.id = ID "/hash", .impl = "default", .name = NAME ", ippsHashUpdate_rmf, ippsHashFinal_rmf", .setup = setup_hash, .call = call_hash, .teardown = teardown, .param = &METHOD}, \
    {.id = ID "/hash", .impl = "oneshot", .name = NAME ", ippsHashMessage_rmf", .setup = setup_oneshot, .call = call_oneshot, .teardown = teardown, .param = &METHOD}
#define PLAIN(ID, METHOD, NAME)                                                                                        \
    {.id = ID "/hash", .impl = NAME, .name = NAME ", ippsHashUpdate_rmf, ippsHashFinal_rmf", .setup = setup_hash, .call = call_hash, .teardown = teardown, .param = &METHOD}
#define HMAC(ID, METHOD)                                                                                               \
    {.id = ID "/mac", .impl = "default", .name = "ippsHMACUpdate_rmf, ippsHMACFinal_rmf", .setup = setup_hmac, .call = call_hmac, .rekey = rekey_hmac, .teardown = teardown, .param = &METHOD}, \
    {.id = ID "/mac", .impl = "oneshot", .name = "ippsHMACMessage_rmf", .setup = setup_hmac_oneshot, .call = call_hmac_oneshot, .rekey = cs_key_in_call, .param = &METHOD}
#define CMAC(ID)                                                                                                       \
    {.id = ID "/mac", .impl = "default", .name = "ippsAES_CMACUpdate, ippsAES_CMACFinal", .setup = setup_cmac, .call = call_cmac, .rekey = rekey_cmac, .teardown = teardown}

static const cs_op rows[] = {
    HASH("md5", md5, "ippsHashMethod_MD5"),
    HASH("sha-1", sha1, "ippsHashMethod_SHA1_TT"),
    PLAIN("sha-1", sha1_plain, "ippsHashMethod_SHA1"),
    HASH("sha-256", sha2, "ippsHashMethod_SHA256_TT"),
    PLAIN("sha-256", sha2_plain, "ippsHashMethod_SHA256"),
    HASH("sha-512", sha512, "ippsHashMethod_SHA512"),
    HASH("sha-224", sha224, "ippsHashMethod_SHA224_TT"),
    PLAIN("sha-224", sha224_plain, "ippsHashMethod_SHA224"),
    HASH("sha-384", sha384, "ippsHashMethod_SHA384"),
    HASH("sha-512-256", sha512_256, "ippsHashMethod_SHA512_256"),
    HASH("sm3", sm3, "ippsHashMethod_SM3"),
    HMAC("hmac-sha-1", sha1),
    HMAC("hmac-sha-256", sha2),
    HMAC("hmac-sha-384", sha384),
    HMAC("hmac-sha-512", sha512),
    CMAC("cmac-aes-128"),
    CMAC("cmac-aes-256"),
};
/* clang-format on */

static const cs_table hashes_and_macs = CS_TABLE(rows);

/* ---- library ---- */

/* Features as the library's header names them, without ippCPUID_. */
#define FEATURE(NAME) {#NAME, (Ipp64u)ippCPUID_##NAME}
static const struct {
    const char *name;
    Ipp64u bit;
} features[] = {
    FEATURE(SSE3),       FEATURE(SSSE3),      FEATURE(SSE42),        FEATURE(AVX),         FEATURE(AES),
    FEATURE(CLMUL),      FEATURE(RDRAND),     FEATURE(AVX2),         FEATURE(ADCOX),       FEATURE(SHA),
    FEATURE(AVX2VAES),   FEATURE(AVX2VCLMUL), FEATURE(AVX512F),      FEATURE(AVX512CD),    FEATURE(AVX512BW),
    FEATURE(AVX512DQ),   FEATURE(AVX512VL),   FEATURE(AVX512VBMI),   FEATURE(AVX512VBMI2), FEATURE(AVX512IFMA),
    FEATURE(AVX512GFNI), FEATURE(AVX512VAES), FEATURE(AVX512VCLMUL),
};

/* The features that `names`, with ':' between them, stand for; 0 if none is known. */
static Ipp64u features_of(const char *names)
{
    Ipp64u found = 0;

    while (*names != '\0') {
        const size_t len = strcspn(names, ":");
        for (size_t i = 0; i < CS_COUNT(features); i++)
            if (strlen(features[i].name) == len && strncmp(features[i].name, names, len) == 0)
                found |= features[i].bit;
        names += names[len] == ':' ? len + 1 : len;
    }
    return found;
}

static int open_library(void)
{
    const char *hidden = cs_hidden_features();
    Ipp64u all, hide;

    if (ippcpInit() < ippStsNoErr)
        return cs_fail("ippcpInit: the processor is not one of its own");
    if (hidden == NULL)
        return CS_OK;
    hide = features_of(hidden);
    if (hide == 0)
        return cs_fail("the library knows none of the features that the mask hides");
    if (ippcpGetCpuFeatures(&all) < ippStsNoErr)
        return cs_fail("ippcpGetCpuFeatures");
    return from_ipp("ippcpSetCpuFeatures", ippcpSetCpuFeatures(all & ~hide));
}

static const char *library_version(void)
{
    static char text[48];
    const IppLibraryVersion *version = ippcpGetLibVersion();

    (void)snprintf(text, sizeof text, "%d.%d.%d", version->major, version->minor, version->majorBuild);
    return text;
}

/* The variant that it chose, and the features that it may use. */
static const char *library_cpu_path(void)
{
    static char text[320];
    const IppLibraryVersion *version = ippcpGetLibVersion();
    const Ipp64u enabled = ippcpGetEnabledCpuFeatures();
    size_t used;

    (void)snprintf(text, sizeof text, "%s", version->Name);
    for (size_t i = 0; i < CS_COUNT(features); i++)
        if ((enabled & features[i].bit) != 0) {
            used = strlen(text);
            (void)snprintf(text + used, sizeof text - used, " %s", features[i].name);
        }
    return text;
}

static const cs_library library = {
    .abi = CS_ABI,
    .id = "ipp-crypto",
    .version = library_version,
    .version_from = "library",
    .cpu_path = library_cpu_path,
    .open = open_library,
    .tables = CS_TABLES(&hashes_and_macs, &ipp_ciphers, &ipp_modes, &ipp_curves, &ipp_ffdh, &ipp_dsa, &ipp_rsa,
                        &ipp_rsa_keygen, &ipp_power, &ipp_bignum, &ipp_random),
};

CS_WORKER_MAIN(library)
