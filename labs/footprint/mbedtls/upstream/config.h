/* SPDX-License-Identifier: Apache-2.0
 *
 * What is left of Mbed TLS, by the words of a step: TLS12 or TLS13 a client of it, P256 its curve, RSA also
 * certificates of RSA, SHA512 also that, SYSTEM_RANDOM without a generator, CRYPTO what the programs without TLS need,
 * SMALL what is smaller and slower, MICRO_ECC
 * with curves of that library by the hooks for alternative implementations.
 */
#ifndef FOOTPRINT_CONFIG_H
#define FOOTPRINT_CONFIG_H

#define MBEDTLS_SHA256_C
#define MBEDTLS_AES_C
#define MBEDTLS_GCM_C
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_ECP_C
#define MBEDTLS_ECP_DP_SECP256R1_ENABLED
#define MBEDTLS_ECDSA_C
#define MBEDTLS_ASN1_PARSE_C
#define MBEDTLS_ASN1_WRITE_C

#ifdef CONFIG_CRYPTO
#define MBEDTLS_ECP_DP_CURVE25519_ENABLED
#define MBEDTLS_ECDH_C
#endif

#if defined(CONFIG_CRYPTO) || defined(CONFIG_RSA)
#define MBEDTLS_RSA_C
#define MBEDTLS_PKCS1_V15
#define MBEDTLS_MD_C
#define MBEDTLS_OID_C
#endif

#if defined(CONFIG_TLS12) || defined(CONFIG_TLS13)
#define MBEDTLS_HAVE_TIME
#define MBEDTLS_HAVE_TIME_DATE
#define MBEDTLS_PLATFORM_C
#define MBEDTLS_CIPHER_C
#define MBEDTLS_ECDH_C
#define MBEDTLS_MD_C
#define MBEDTLS_OID_C
#define MBEDTLS_PK_C
#define MBEDTLS_PK_PARSE_C
#define MBEDTLS_X509_USE_C
#define MBEDTLS_X509_CRT_PARSE_C
#define MBEDTLS_SSL_TLS_C
#define MBEDTLS_SSL_CLI_C
#define MBEDTLS_SSL_SERVER_NAME_INDICATION
#define MBEDTLS_SSL_OUT_CONTENT_LEN 1024
#endif

#ifdef CONFIG_TLS12
#define MBEDTLS_SSL_PROTO_TLS1_2
#define MBEDTLS_KEY_EXCHANGE_ECDHE_ECDSA_ENABLED
#ifdef CONFIG_RSA
#define MBEDTLS_KEY_EXCHANGE_ECDHE_RSA_ENABLED
#define MBEDTLS_SSL_CIPHERSUITES                                                                                       \
    MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
#else
#define MBEDTLS_SSL_CIPHERSUITES MBEDTLS_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
#endif
#endif

#ifdef CONFIG_TLS13
#define MBEDTLS_SSL_PROTO_TLS1_3
#define MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL_ENABLED
#define MBEDTLS_SSL_KEEP_PEER_CERTIFICATE
#define MBEDTLS_PSA_CRYPTO_C
#define MBEDTLS_HKDF_C
#define MBEDTLS_SSL_CIPHERSUITES MBEDTLS_TLS1_3_AES_128_GCM_SHA256
#endif

#ifdef CONFIG_MICRO_ECC
#define MBEDTLS_ECDH_GEN_PUBLIC_ALT
#define MBEDTLS_ECDH_COMPUTE_SHARED_ALT
#define MBEDTLS_ECDSA_SIGN_ALT
#define MBEDTLS_ECDSA_VERIFY_ALT
#endif

#ifdef CONFIG_SHA512
#define MBEDTLS_SHA384_C
#define MBEDTLS_SHA512_C
#endif

/* The generator of the library, or the system's bytes by a function of the program. */
#if defined(CONFIG_SYSTEM_RANDOM)
#ifdef CONFIG_TLS13
#define MBEDTLS_PSA_CRYPTO_EXTERNAL_RNG
#endif
#elif defined(CONFIG_TLS12) || defined(CONFIG_TLS13)
#define MBEDTLS_CTR_DRBG_C
#define MBEDTLS_ENTROPY_C
#endif

/* Without an operating system time and entropy are functions of the program. */
#ifndef __unix__
#ifdef MBEDTLS_HAVE_TIME
#define MBEDTLS_PLATFORM_MS_TIME_ALT
#endif
#ifdef MBEDTLS_ENTROPY_C
#define MBEDTLS_NO_PLATFORM_ENTROPY
#define MBEDTLS_ENTROPY_HARDWARE_ALT
#endif
#endif

#ifdef CONFIG_SMALL
#define MBEDTLS_AES_ROM_TABLES
#define MBEDTLS_AES_FEWER_TABLES
#define MBEDTLS_AES_ONLY_128_BIT_KEY_LENGTH
#define MBEDTLS_SHA256_SMALLER
#define MBEDTLS_SHA512_SMALLER
#define MBEDTLS_ECP_WINDOW_SIZE 2
#define MBEDTLS_ECP_FIXED_POINT_OPTIM 0
#define MBEDTLS_MPI_WINDOW_SIZE 1
#else
#define MBEDTLS_HAVE_ASM
#define MBEDTLS_AESNI_C
#define MBEDTLS_AESCE_C
#define MBEDTLS_ECP_NIST_OPTIM
#endif

#endif
