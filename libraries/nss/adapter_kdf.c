/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: HKDF and PBKDF2 through PK11: secrets go into the token and derived keys come out of it, in every call.
 */
#include <string.h>

#include <secoid.h>

#include "adapter.h"

/* What a row points to: the hash of HKDF or the HMAC of PBKDF2, and the bytes of output. */
struct kdf_kind {
    CK_MECHANISM_TYPE hash;
    SECOidTag hmac;
    size_t bytes;
};

struct kdf_state {
    const struct kdf_kind *kind;
    cs_span salt, info;
    int iterations;
};

static int kdf_setup(cs_case *c)
{
    struct kdf_state *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->kind = c->op->param;
    s->salt = cs_input(c, "salt");
    s->info = cs_input(c, "info");
    s->iterations = (int)cs_param_number(c, "iterations", 0);
    c->state = s;
    c->out_len = s->kind->bytes;
    return CS_OK;
}

/* Takes the value of a derived key out of the token, and the key with it; NULL is a failure. */
static int take(cs_case *c, PK11SymKey *derived)
{
    const SECItem *value;
    SECStatus status = derived == NULL ? SECFailure : PK11_ExtractKeyValue(derived);
    int result = done(status);

    if (status == SECSuccess) {
        value = PK11_GetKeyData(derived);
        if (value->len >= c->out_len)
            memcpy(c->out, value->data, c->out_len);
        else
            result = cs_fail("the derived key is too short");
    }
    if (derived != NULL)
        PK11_FreeSymKey(derived);
    return result;
}

static int hkdf_call(cs_case *c)
{
    const struct kdf_state *s = c->state;
    CK_HKDF_PARAMS params = {.bExtract = CK_TRUE,
                             .bExpand = CK_TRUE,
                             .prfHashMechanism = s->kind->hash,
                             .ulSaltType = s->salt.len > 0 ? CKF_HKDF_SALT_DATA : CKF_HKDF_SALT_NULL,
                             .pSalt = (CK_BYTE_PTR)(uintptr_t)s->salt.data,
                             .ulSaltLen = s->salt.len,
                             .hSaltKey = CK_INVALID_HANDLE,
                             .pInfo = (CK_BYTE_PTR)(uintptr_t)s->info.data,
                             .ulInfoLen = s->info.len};
    SECItem mechanism = item((const uint8_t *)&params, sizeof params), value = item(c->key.data, c->key.len);
    PK11SymKey *derived = NULL;
    PK11SymKey *secret = PK11_ImportSymKey(token, CKM_HKDF_DERIVE, PK11_OriginUnwrap, CKA_DERIVE, &value, NULL);
    int result;

    if (secret != NULL)
        derived = PK11_Derive(secret, CKM_HKDF_DERIVE, &mechanism, CKM_HKDF_DERIVE, CKA_DERIVE, (int)c->out_len);
    result = take(c, derived);
    if (secret != NULL)
        PK11_FreeSymKey(secret);
    return result;
}

static int pbkdf2_call(cs_case *c)
{
    const struct kdf_state *s = c->state;
    SECItem password = item(c->key.data, c->key.len), salt = item(s->salt.data, s->salt.len);
    PK11SymKey *derived = NULL;
    SECAlgorithmID *algorithm = PK11_CreatePBEV2AlgorithmID(SEC_OID_PKCS5_PBKDF2, s->kind->hmac, s->kind->hmac,
                                                            (int)c->out_len, s->iterations, &salt);
    int result;

    if (algorithm != NULL)
        derived = PK11_PBEKeyGen(token, algorithm, &password, PR_FALSE, NULL);
    result = take(c, derived);
    if (algorithm != NULL)
        SECOID_DestroyAlgorithmID(algorithm, PR_TRUE);
    return result;
}

/* ---- rows ---- */

/* clang-format off */
#define KDF_ROW(ALGORITHM, NAME, CALL, HASH, HMAC, BYTES)                                                              \
    {.id = ALGORITHM "/derive", .impl = "default", .name = NAME, .setup = kdf_setup, .call = CALL, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &(const struct kdf_kind){HASH, HMAC, BYTES}, .open = nss_open}
#define HKDF_ROW(ALGORITHM, HASH, BYTES)                                                                               \
    KDF_ROW(ALGORITHM, "PK11_ImportSymKey, PK11_Derive CKM_HKDF_DERIVE", hkdf_call, HASH, SEC_OID_UNKNOWN, BYTES)
#define PBKDF2_ROW(ALGORITHM, HMAC, BYTES) KDF_ROW(ALGORITHM, "PK11_PBEKeyGen PBKDF2", pbkdf2_call, 0, HMAC, BYTES)

static const cs_op rows[] = {
    HKDF_ROW("hkdf-sha-256", CKM_SHA256, 32),
    HKDF_ROW("hkdf-sha-512", CKM_SHA512, 64),
    PBKDF2_ROW("pbkdf2-hmac-sha-1", SEC_OID_HMAC_SHA1, 20),
    PBKDF2_ROW("pbkdf2-hmac-sha-256", SEC_OID_HMAC_SHA256, 32),
    PBKDF2_ROW("pbkdf2-hmac-sha-512", SEC_OID_HMAC_SHA512, 64),
};
/* clang-format on */

const cs_table nss_kdf = CS_TABLE(rows);
