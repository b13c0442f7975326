/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS 3.87 and later 3.x through PK11, its interface for applications: the software token (softoken and freebl) behind
 * PKCS #11, without a database. https://firefox-source-docs.mozilla.org/security/nss/
 *
 * Entry points: PK11_Digest*, PK11_HashBuf, PK11_SignWithSymKey, PK11_Encrypt, PK11_Decrypt, PK11_AEADOp; the other
 * files have those for keys. Each file has its rows at its end.
 */
#include <string.h>

#include <nss.h>
#include <prerror.h>
#include <secerr.h>
#include <sechash.h>

#include "adapter.h"

PK11SlotInfo *token;

/* ---- library ---- */

static const char *library_version(void)
{
    static char text[32];
    size_t len = strcspn(NSS_GetVersion(), " ");

    if (len < sizeof text)
        memcpy(text, NSS_GetVersion(), len);
    return text;
}

const char *nss_open(void)
{
    if (NSS_NoDB_Init(NULL) != SECSuccess)
        return "NSS_NoDB_Init fails";
    token = PK11_GetInternalSlot();
    return token == NULL ? "PK11_GetInternalSlot fails" : NULL;
}

const char *nss_seed(void)
{
    uint8_t byte;

    return PK11_GenerateRandom(&byte, sizeof byte) == SECSuccess ? NULL : "PK11_GenerateRandom fails";
}

SECItem item(const uint8_t *data, size_t len)
{
    return (SECItem){.type = siBuffer, .data = (unsigned char *)data, .len = (unsigned)len};
}

int done(SECStatus status)
{
    const char *name = status == SECSuccess ? NULL : PR_ErrorToName(PR_GetError());

    return status == SECSuccess ? CS_OK : cs_fail(name != NULL ? name : "an error without a name");
}

/* ---- hash ---- */

static int hash_setup(cs_case *c)
{
    const SECOidTag *tag = c->op->param;

    c->state = PK11_CreateDigestContext(*tag);
    return c->state != NULL ? CS_OK : done(SECFailure);
}

static void context_teardown(cs_case *c)
{
    PK11_DestroyContext(c->state, PR_TRUE);
    c->state = NULL;
}

static int digest(cs_case *c, PK11Context *context)
{
    unsigned len = 0;
    SECStatus status = PK11_DigestBegin(context);

    if (status == SECSuccess)
        status = PK11_DigestOp(context, c->msg.data, (unsigned)c->msg.len);
    if (status == SECSuccess)
        status = PK11_DigestFinal(context, c->out, &len, (unsigned)c->out_cap);
    c->out_len = len;
    return done(status);
}

static int hash_call(cs_case *c)
{
    return digest(c, c->state);
}

static int oneshot_hash_setup(cs_case *c)
{
    const SECOidTag *tag = c->op->param;

    c->out_len = HASH_ResultLenByOidTag(*tag);
    return CS_OK;
}

static int oneshot_hash_call(cs_case *c)
{
    const SECOidTag *tag = c->op->param;

    return done(PK11_HashBuf(*tag, c->out, c->msg.data, (PRInt32)c->msg.len));
}

/* ---- keys of symmetric operations ---- */

/* `sealed`: ciphertext and tag of the functions that take them as one; `tag`: for the one that may write to it. */
struct keyed {
    PK11SymKey *key;
    PK11Context *context;
    uint8_t *sealed;
    uint8_t tag[16];
};

/* What a row points to: the operation of PKCS #11, and what the key and the context are for. */
struct use {
    CK_MECHANISM_TYPE mechanism;
    CK_ATTRIBUTE_TYPE purpose;
};

static void keyed_teardown(cs_case *c)
{
    struct keyed *s = c->state;

    if (s->context != NULL)
        PK11_DestroyContext(s->context, PR_TRUE);
    if (s->key != NULL)
        PK11_FreeSymKey(s->key);
    cs_free(s->sealed);
    cs_free(s);
    c->state = NULL;
}

static int keyed_setup(cs_case *c)
{
    const struct use *use = c->op->param;
    struct keyed *s = cs_alloc(sizeof *s);
    SECItem key = item(c->key.data, c->key.len);

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    s->key = PK11_ImportSymKey(token, use->mechanism, PK11_OriginUnwrap, use->purpose, &key, NULL);
    if (s->key != NULL)
        return CS_OK;
    keyed_teardown(c);
    return done(SECFailure);
}

/* A context for one direction of one operation; `message`: many messages with parameters of their own. */
static int context_setup(cs_case *c, CK_ATTRIBUTE_TYPE message)
{
    const struct use *use = c->op->param;
    const SECItem none = item(NULL, 0);
    struct keyed *s;

    if (keyed_setup(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    s->context = PK11_CreateContextBySymKey(use->mechanism, message | use->purpose, s->key, &none);
    if (s->context != NULL)
        return CS_OK;
    keyed_teardown(c);
    return done(SECFailure);
}

/* ---- mac ---- */

static int mac_setup(cs_case *c)
{
    return context_setup(c, 0);
}

static int mac_call(cs_case *c)
{
    const struct keyed *s = c->state;

    return digest(c, s->context);
}

static int oneshot_mac_call(cs_case *c)
{
    const struct use *use = c->op->param;
    const struct keyed *s = c->state;
    SECItem none = item(NULL, 0), tag = item(c->out, c->out_cap);
    const SECItem msg = item(c->msg.data, c->msg.len);
    SECStatus status = PK11_SignWithSymKey(s->key, use->mechanism, &none, &tag, &msg);

    c->out_len = tag.len;
    return done(status);
}

/* ---- cipher ---- */

static int run(cs_case *c, SECItem *param)
{
    const struct use *use = c->op->param;
    const struct keyed *s = c->state;
    unsigned len = 0;
    SECStatus status;

    if (use->purpose == CKA_ENCRYPT)
        status = PK11_Encrypt(s->key, use->mechanism, param, c->out, &len, (unsigned)c->out_cap, c->msg.data,
                              (unsigned)c->msg.len);
    else
        status = PK11_Decrypt(s->key, use->mechanism, param, c->out, &len, (unsigned)c->out_cap, c->msg.data,
                              (unsigned)c->msg.len);
    c->out_len = len;
    return done(status);
}

static int cbc_call(cs_case *c)
{
    SECItem iv = item(c->iv.data, c->iv.len);

    return run(c, &iv);
}

static int ctr_call(cs_case *c)
{
    CK_AES_CTR_PARAMS counter = {.ulCounterBits = 128};
    SECItem param = item((const uint8_t *)&counter, sizeof counter);

    memcpy(counter.cb, c->iv.data, sizeof counter.cb);
    return run(c, &param);
}

/* The parameter is the block counter, 0 here, and the nonce. */
static int chacha20_call(cs_case *c)
{
    uint8_t counter[16] = {0};
    SECItem param = item(counter, sizeof counter);

    memcpy(counter + sizeof counter - c->iv.len, c->iv.data, c->iv.len);
    return run(c, &param);
}

/* ---- aead ---- */

enum { TAG = 16 };

static int aead_setup(cs_case *c)
{
    struct keyed *s;

    if (context_setup(c, CKA_NSS_MESSAGE) != CS_OK)
        return CS_ERROR;
    s = c->state;
    if (c->tag.data != NULL)
        memcpy(s->tag, c->tag.data, sizeof s->tag);
    return CS_OK;
}

static SECStatus aead(cs_case *c, uint8_t *tag)
{
    const struct keyed *s = c->state;
    int len = 0;
    SECStatus status =
        PK11_AEADOp(s->context, CKG_NO_GENERATE, 0, (unsigned char *)c->iv.data, (int)c->iv.len, c->aad.data,
                    (int)c->aad.len, c->out, &len, (int)c->out_cap, tag, TAG, c->msg.data, (int)c->msg.len);

    c->out_len = (size_t)len;
    return status;
}

static int seal_call(cs_case *c)
{
    SECStatus status = aead(c, c->out + c->msg.len);

    c->out_len += TAG;
    return done(status);
}

static int opened(SECStatus status)
{
    return status != SECSuccess && PR_GetError() == SEC_ERROR_BAD_DATA ? CS_REJECTED : done(status);
}

static int open_call(cs_case *c)
{
    struct keyed *s = c->state;

    return opened(aead(c, s->tag));
}

/* ---- key wrap: what is wrapped is data, as any other message ---- */

static int wrap_call(cs_case *c)
{
    return run(c, NULL);
}

static int unwrap_call(cs_case *c)
{
    const struct use *use = c->op->param;
    const struct keyed *s = c->state;
    unsigned len = 0;
    SECStatus status = PK11_Decrypt(s->key, use->mechanism, NULL, c->out, &len, (unsigned)c->out_cap, c->msg.data,
                                    (unsigned)c->msg.len);

    c->out_len = len;
    return opened(status);
}

/* ---- rows ---- */

static const SECOidTag sha224 = SEC_OID_SHA224, sha384 = SEC_OID_SHA384;
static const SECOidTag md5 = SEC_OID_MD5, sha1 = SEC_OID_SHA1, sha256 = SEC_OID_SHA256, sha512 = SEC_OID_SHA512;

static const struct use hmac_sha1 = {CKM_SHA_1_HMAC, CKA_SIGN}, hmac_sha384 = {CKM_SHA384_HMAC, CKA_SIGN},
                        hmac_sha512 = {CKM_SHA512_HMAC, CKA_SIGN};
static const struct use hmac_sha256 = {CKM_SHA256_HMAC, CKA_SIGN}, cmac = {CKM_AES_CMAC, CKA_SIGN},
                        aes_cbc_encrypt = {CKM_AES_CBC, CKA_ENCRYPT}, aes_cbc_decrypt = {CKM_AES_CBC, CKA_DECRYPT},
                        des3_cbc_encrypt = {CKM_DES3_CBC, CKA_ENCRYPT}, des3_cbc_decrypt = {CKM_DES3_CBC, CKA_DECRYPT},
                        aes_ctr = {CKM_AES_CTR, CKA_ENCRYPT}, chacha20 = {CKM_NSS_CHACHA20_CTR, CKA_ENCRYPT},
                        aes_gcm_seal = {CKM_AES_GCM, CKA_ENCRYPT}, aes_gcm_open = {CKM_AES_GCM, CKA_DECRYPT},
                        chacha20_poly1305_seal = {CKM_CHACHA20_POLY1305, CKA_ENCRYPT},
                        chacha20_poly1305_open = {CKM_CHACHA20_POLY1305, CKA_DECRYPT},
                        camellia_cbc_encrypt = {CKM_CAMELLIA_CBC, CKA_ENCRYPT},
                        camellia_cbc_decrypt = {CKM_CAMELLIA_CBC, CKA_DECRYPT},
                        aes_wrap = {CKM_NSS_AES_KEY_WRAP, CKA_ENCRYPT},
                        aes_unwrap = {CKM_NSS_AES_KEY_WRAP, CKA_DECRYPT};

/* clang-format off */
#define ROW(ID, IMPL, NAME, SETUP, CALL, TEARDOWN, PARAM, REKEY, BLOCK)                                                \
    {.id = ID, .impl = IMPL, .name = NAME, .setup = SETUP, .call = CALL, .teardown = TEARDOWN, .param = &(PARAM), .open = nss_open, .rekey = REKEY, .block = BLOCK}
#define HASH(ID, NAME, PARAM)                                                                                          \
    ROW(ID "/hash", "default", "PK11_DigestOp " NAME, hash_setup, hash_call, context_teardown, PARAM, NULL, 0),        \
    ROW(ID "/hash", "oneshot", "PK11_HashBuf " NAME, oneshot_hash_setup, oneshot_hash_call, NULL, PARAM, NULL, 0)
#define MAC(ID, NAME, PARAM)                                                                                           \
    ROW(ID "/mac", "default", "PK11_DigestOp " NAME, mac_setup, mac_call, keyed_teardown, PARAM, cs_setup_again, 0),   \
    ROW(ID "/mac", "oneshot", "PK11_SignWithSymKey " NAME, keyed_setup, oneshot_mac_call, keyed_teardown, PARAM, cs_setup_again, 0)
#define CIPHER(ID, NAME, CALL, PARAM, BLOCK) ROW(ID, "default", NAME, keyed_setup, CALL, keyed_teardown, PARAM, cs_setup_again, BLOCK)
#define CBC(ID, NAME, PARAM, BLOCK)                                                                                    \
    CIPHER(ID "/encrypt", "PK11_Encrypt " NAME, cbc_call, PARAM##_encrypt, BLOCK),                                     \
    CIPHER(ID "/decrypt", "PK11_Decrypt " NAME, cbc_call, PARAM##_decrypt, BLOCK)
#define AEAD(ID, NAME, PARAM)                                                                                          \
    ROW(ID "/seal", "default", "PK11_AEADOp " NAME, aead_setup, seal_call, keyed_teardown, PARAM##_seal, cs_setup_again, 0), \
    ROW(ID "/open", "default", "PK11_AEADOp " NAME, aead_setup, open_call, keyed_teardown, PARAM##_open, cs_setup_again, 0)

static const cs_op rows[] = {
    HASH("md5", "CKM_MD5", md5),
    HASH("sha-1", "CKM_SHA_1", sha1),
    HASH("sha-256", "CKM_SHA256", sha256),
    HASH("sha-512", "CKM_SHA512", sha512),
    HASH("sha-224", "CKM_SHA224", sha224),
    HASH("sha-384", "CKM_SHA384", sha384),
    MAC("hmac-sha-1", "CKM_SHA_1_HMAC", hmac_sha1),
    MAC("hmac-sha-256", "CKM_SHA256_HMAC", hmac_sha256),
    MAC("hmac-sha-384", "CKM_SHA384_HMAC", hmac_sha384),
    MAC("hmac-sha-512", "CKM_SHA512_HMAC", hmac_sha512),
    MAC("cmac-aes-128", "CKM_AES_CMAC", cmac),
    MAC("cmac-aes-256", "CKM_AES_CMAC", cmac),
    CBC("aes-128-cbc", "CKM_AES_CBC", aes_cbc, 16),
    CBC("aes-192-cbc", "CKM_AES_CBC", aes_cbc, 16),
    CBC("aes-256-cbc", "CKM_AES_CBC", aes_cbc, 16),
    CBC("3des-cbc", "CKM_DES3_CBC", des3_cbc, 8),
    CBC("camellia-128-cbc", "CKM_CAMELLIA_CBC", camellia_cbc, 16),
    CIPHER("aes-128-ctr/encrypt", "PK11_Encrypt CKM_AES_CTR", ctr_call, aes_ctr, 0),
    CIPHER("aes-192-ctr/encrypt", "PK11_Encrypt CKM_AES_CTR", ctr_call, aes_ctr, 0),
    CIPHER("aes-256-ctr/encrypt", "PK11_Encrypt CKM_AES_CTR", ctr_call, aes_ctr, 0),
    CIPHER("chacha20/encrypt", "PK11_Encrypt CKM_NSS_CHACHA20_CTR", chacha20_call, chacha20, 0),
    AEAD("aes-128-gcm", "CKM_AES_GCM", aes_gcm),
    AEAD("aes-192-gcm", "CKM_AES_GCM", aes_gcm),
    AEAD("aes-256-gcm", "CKM_AES_GCM", aes_gcm),
    AEAD("chacha20-poly1305", "CKM_CHACHA20_POLY1305", chacha20_poly1305),
    CIPHER("aes-128-kw/wrap", "PK11_Encrypt CKM_NSS_AES_KEY_WRAP", wrap_call, aes_wrap, 8),
    CIPHER("aes-128-kw/unwrap", "PK11_Decrypt CKM_NSS_AES_KEY_WRAP", unwrap_call, aes_unwrap, 8),
    CIPHER("aes-256-kw/wrap", "PK11_Encrypt CKM_NSS_AES_KEY_WRAP", wrap_call, aes_wrap, 8),
    CIPHER("aes-256-kw/unwrap", "PK11_Decrypt CKM_NSS_AES_KEY_WRAP", unwrap_call, aes_unwrap, 8),
};
/* clang-format on */

static const cs_table symmetric = CS_TABLE(rows);

static const cs_library library = {
    .abi = CS_ABI,
    .id = "nss",
    .version = library_version,
    .version_from = "library",
    .tables = CS_TABLES(&symmetric, &nss_pkey, &nss_keys, &nss_rsa, &nss_dsa, &nss_ffdh, &nss_random, &nss_kdf,
                        &nss_import, &nss_x509, &nss_issue, &nss_newer),
};

CS_WORKER_MAIN(library)
