/* SPDX-License-Identifier: Apache-2.0
 *
 * What is left of wolfSSL, by the words of a step: TLS12 or TLS13 a client of it on P-256, RSA also certificates of
 * RSA, SHA512 also that, CRYPTO what the programs without TLS need, SMALL what is smaller and slower, TINY upstream's
 * own smallest profile with certificates.
 */
#ifndef FOOTPRINT_SETTINGS_H
#define FOOTPRINT_SETTINGS_H

#ifndef WOLFSSL_USER_SETTINGS
#define WOLFSSL_USER_SETTINGS
#endif

/* Random bytes come from a function of the program. */
#define CUSTOM_RAND_GENERATE_BLOCK footprint_random
int footprint_random(unsigned char *to, unsigned len);

#define NO_FILESYSTEM
#define NO_WRITEV
#define WOLFSSL_USER_IO
#define WOLFSSL_NO_SOCK
#define WOLFSSL_NO_GETPID

#ifdef CONFIG_TINY
#define WOLFSSL_TINY_TLS13_CERT
#define HAVE_SNI
#else

#define SINGLE_THREADED
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG 8
#define NO_OLD_TLS
#define NO_PSK
#define NO_DH
#define NO_DSA
#define NO_RC4
#define NO_MD4
#define NO_MD5
#define NO_SHA
#define NO_DES3
#define NO_PWDBASED
#define NO_PKCS12
#define NO_AES_CBC
#define NO_ERROR_STRINGS
#define NO_SESSION_CACHE
#define NO_CLIENT_CACHE
#define NO_WOLFSSL_SERVER
#define NO_HANDSHAKE_DONE_CB
#define NO_CRYPT_TEST
#define NO_CRYPT_BENCHMARK
#define NO_CODING
#define WOLFSSL_ASN_TEMPLATE
#define WOLFSSL_SMALL_CERT_VERIFY
#define HAVE_ECC
#define ECC_USER_CURVES
#define ECC_TIMING_RESISTANT
#define TFM_TIMING_RESISTANT
#define WOLFSSL_SP_MATH
#define WOLFSSL_HAVE_SP_ECC
#define HAVE_AESGCM

#ifdef CONFIG_SHA512
#define WOLFSSL_SHA512
#define WOLFSSL_SHA384
#endif

#if defined(CONFIG_RSA) || defined(CONFIG_CRYPTO)
#define WOLFSSL_HAVE_SP_RSA
#define WOLFSSL_SP_NO_3072
#define WC_RSA_BLINDING
#define WC_RSA_PSS
#define WOLFSSL_RSA_PUBLIC_ONLY
#else
#define NO_RSA
#endif

#if defined(CONFIG_TLS12) || defined(CONFIG_TLS13)
#define HAVE_TLS_EXTENSIONS
#define HAVE_SUPPORTED_CURVES
#define HAVE_SNI
#define HAVE_EXTENDED_MASTER
#endif

#ifdef CONFIG_TLS13
#define WOLFSSL_TLS13
#define HAVE_HKDF
#ifndef CONFIG_TLS12
#define WOLFSSL_NO_TLS12
#endif
#endif

#ifdef CONFIG_CRYPTO
#define WOLFCRYPT_ONLY
#define HAVE_CURVE25519
#define WOLFSSL_HAVE_MLKEM
#define WOLFSSL_NO_ML_KEM_512
#define WOLFSSL_NO_ML_KEM_1024
#define WOLFSSL_SHA3
#define WOLFSSL_SHAKE128
#define WOLFSSL_SHAKE256
#endif

#ifdef CONFIG_SMALL
#define NO_AES_192
#define NO_AES_256
#define GCM_SMALL
#define WOLFSSL_AES_SMALL_TABLES
#define WOLFSSL_AES_NO_UNROLL
#define USE_SLOW_SHA256
#define WOLFSSL_SP_SMALL
#define CURVE25519_SMALL
#define WOLFSSL_MLKEM_SMALL
#endif

#endif
#endif
