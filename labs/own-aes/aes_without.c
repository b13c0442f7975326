/* SPDX-License-Identifier: Apache-2.0
 *
 * Where there is no code for the processor: every row says so, and none is called.
 */
#include "aes.h"

#if !defined(__x86_64__) &&                                                                                            \
    !(defined(__aarch64__) && (defined(__ARM_FEATURE_AES) || (defined(__GNUC__) && !defined(__clang__))))

const char *own_aes_missing(void)
{
    return "this build has no code with AES instructions for this processor";
}

void own_aes_encryption_key(own_aes_key *key, const uint8_t *bytes, size_t len)
{
    (void)key, (void)bytes, (void)len;
}

void own_aes_decryption_key(own_aes_key *key, const uint8_t *bytes, size_t len)
{
    (void)key, (void)bytes, (void)len;
}

void own_aes_cbc_encrypt(const own_aes_key *key, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t len)
{
    (void)key, (void)iv, (void)in, (void)out, (void)len;
}

void own_aes_cbc_decrypt(const own_aes_key *key, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t len)
{
    (void)key, (void)iv, (void)in, (void)out, (void)len;
}
#endif
