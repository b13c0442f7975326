/* SPDX-License-Identifier: Apache-2.0
 *
 * ML-KEM-768, decapsulated. A private key has no encoding that the library reads: it becomes an object of the token's
 * by its attributes, and is found by the name that it is given.
 */
#include "own.h"

enum { SECRET_BYTES = 32, ATTRIBUTES = 8 };

/* NULL if it is none. */
static SECKEYPrivateKey *private_key(span key)
{
    CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
    CK_KEY_TYPE type = CKK_NSS_ML_KEM;
    CK_NSS_KEM_PARAMETER_SET_TYPE set = CKP_NSS_ML_KEM_768;
    CK_BBOOL no = CK_FALSE;
    uint8_t name = 1;
    CK_ATTRIBUTE attributes[ATTRIBUTES] = {
        {CKA_CLASS, &class, sizeof class},
        {CKA_KEY_TYPE, &type, sizeof type},
        {CKA_NSS_PARAMETER_SET, &set, sizeof set},
        {CKA_ID, &name, sizeof name},
        {CKA_TOKEN, &no, sizeof no},
        {CKA_PRIVATE, &no, sizeof no},
        {CKA_SENSITIVE, &no, sizeof no},
        {CKA_VALUE, key.data, key.len},
    };
    PK11SlotInfo *token = PK11_GetInternalSlot();
    SECItem id = {siBuffer, &name, sizeof name};

    return PK11_CreateGenericObject(token, attributes, ATTRIBUTES, PR_FALSE) != NULL
               ? PK11_FindKeyByKeyID(token, &id, NULL)
               : NULL;
}

int main(void)
{
    SECKEYPrivateKey *own;
    PK11SymKey *secret = NULL;
    SECItem sealed;
    span key;

    if (!read_input() || !begun())
        return BROKEN;
    key = field();
    sealed = item(rest());
    if ((own = private_key(key)) == NULL)
        return NO;
    if (PK11_Decapsulate(own, &sealed, CKM_HKDF_DERIVE, PK11_ATTR_SESSION | PK11_ATTR_INSENSITIVE | PK11_ATTR_PUBLIC,
                         CKF_DERIVE, &secret) != SECSuccess)
        return NO;
    return PK11_ExtractKeyValue(secret) == SECSuccess ? write_output(PK11_GetKeyData(secret)->data, SECRET_BYTES)
                                                      : BROKEN;
}
