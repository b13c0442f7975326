/* SPDX-License-Identifier: Apache-2.0
 *
 * RSA with 2048 bits, PKCS#1 v1.5 with SHA-256.
 */
#include "key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

int main(void)
{
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    BIGNUM *n, *e;
    OSSL_PARAM *parts;
    span modulus, exponent, sig;
    EVP_PKEY *key;

    if (!read_input() || build == NULL)
        return BROKEN;
    modulus = field(), exponent = field(), sig = field();
    n = BN_bin2bn(modulus.data, (int)modulus.len, NULL);
    e = BN_bin2bn(exponent.data, (int)exponent.len, NULL);
    if (n == NULL || e == NULL || OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, n) != 1 ||
        OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, e) != 1 ||
        (parts = OSSL_PARAM_BLD_to_param(build)) == NULL)
        return BROKEN;
    key = public_key("RSA", parts);
    OSSL_PARAM_free(parts);
    OSSL_PARAM_BLD_free(build);
    BN_free(n);
    BN_free(e);
    return verified(key, sig, rest());
}
