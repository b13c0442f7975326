/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of RSA answered by the program, always with failure: upstream has no switch that leaves RSA out. They stand
 * before the archives and the linker takes the first definition (`-z muldefs`), so that nothing refers to upstream's,
 * and --gc-sections leaves those out with all that they call.
 *
 * What libssl hands to its parser of keys are types of keys. That of RSA is answered with that of P-256, which stands
 * there too: a key of RSA is then of no type that is known. The client offers signatures of RSA as before: what is sent
 * is refused by these answers, and by nothing else.
 */
#ifndef FOOTPRINT_NO_RSA_H
#define FOOTPRINT_NO_RSA_H

#include <openssl/evp.h>
#include <openssl/rsa.h>

const EVP_PKEY_ALG *EVP_pkey_rsa(void)
{
    return EVP_pkey_ec_p256();
}

RSA *EVP_PKEY_get0_RSA(const EVP_PKEY *key)
{
    (void)key;
    return NULL;
}

unsigned RSA_size(const RSA *rsa)
{
    (void)rsa;
    return 0;
}

int RSA_encrypt(RSA *rsa, size_t *out_len, uint8_t *out, size_t max_out, const uint8_t *in, size_t in_len, int padding)
{
    (void)rsa, (void)out_len, (void)out, (void)max_out, (void)in, (void)in_len, (void)padding;
    return 0;
}

int RSA_decrypt(RSA *rsa, size_t *out_len, uint8_t *out, size_t max_out, const uint8_t *in, size_t in_len, int padding)
{
    (void)rsa, (void)out_len, (void)out, (void)max_out, (void)in, (void)in_len, (void)padding;
    return 0;
}

int EVP_PKEY_CTX_set_rsa_padding(EVP_PKEY_CTX *ctx, int padding)
{
    (void)ctx, (void)padding;
    return 0;
}

int EVP_PKEY_CTX_set_rsa_pss_saltlen(EVP_PKEY_CTX *ctx, int len)
{
    (void)ctx, (void)len;
    return 0;
}

int EVP_PKEY_CTX_set_rsa_mgf1_md(EVP_PKEY_CTX *ctx, const EVP_MD *md)
{
    (void)ctx, (void)md;
    return 0;
}

#endif
