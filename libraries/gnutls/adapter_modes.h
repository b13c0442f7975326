/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: the rows of further modes and ciphers, for the table in adapter.c, whose functions serve all of them.
 */
#ifndef CIPHERSTONE_GNUTLS_MODES_H
#define CIPHERSTONE_GNUTLS_MODES_H

#include "adapter.h"

static const gnutls_cipher_algorithm_t aes192_cbc = GNUTLS_CIPHER_AES_192_CBC, aes192_gcm = GNUTLS_CIPHER_AES_192_GCM,
                                       aes128_ccm = GNUTLS_CIPHER_AES_128_CCM, aes256_ccm = GNUTLS_CIPHER_AES_256_CCM,
                                       aes128_xts = GNUTLS_CIPHER_AES_128_XTS, aes256_xts = GNUTLS_CIPHER_AES_256_XTS,
                                       camellia_cbc = GNUTLS_CIPHER_CAMELLIA_128_CBC;

#if GNUTLS_VERSION_NUMBER >= 0x030802
static const gnutls_cipher_algorithm_t aes128_gcm_siv = GNUTLS_CIPHER_AES_128_SIV_GCM,
                                       aes256_gcm_siv = GNUTLS_CIPHER_AES_256_SIV_GCM;
#define GCM_SIV_ROWS                                                                                                   \
    , AEAD("aes-128-gcm-siv", "AES_128_SIV_GCM", aes128_gcm_siv),                                                      \
        AEAD("aes-256-gcm-siv", "AES_256_SIV_GCM", aes256_gcm_siv)
#else
#define GCM_SIV_ROWS
#endif

#define MODE_ROWS                                                                                                      \
    CBC("aes-192-cbc", "AES_192_CBC", aes192_cbc, 16), AEAD("aes-192-gcm", "AES_192_GCM", aes192_gcm),                 \
        AEAD("aes-128-ccm", "AES_128_CCM", aes128_ccm), AEAD("aes-256-ccm", "AES_256_CCM", aes256_ccm),                \
        CBC("aes-128-xts", "AES_128_XTS", aes128_xts, 16), CBC("aes-256-xts", "AES_256_XTS", aes256_xts, 16),          \
        CBC("camellia-128-cbc", "CAMELLIA_128_CBC", camellia_cbc, 16) GCM_SIV_ROWS

#endif
