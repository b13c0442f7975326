/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: the rows of certificates, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_WOLFSSL_X509_H
#define CIPHERSTONE_WOLFSSL_X509_H

#include "adapter.h"
#include "x509.h"

int x509_parse_setup(cs_case *c);
int x509_parse_call(cs_case *c);
int x509_verify_setup(cs_case *c);
int x509_verify_call(cs_case *c);
void x509_verify_teardown(cs_case *c);
int x509_issue_setup(cs_case *c);
int x509_issue_call(cs_case *c);
void x509_issue_teardown(cs_case *c);

#define X509_PARSE(ALGORITHM)                                                                                          \
    {.id = ALGORITHM "/parse",                                                                                         \
     .impl = "default",                                                                                                \
     .name = "wc_ParseCert",                                                                                           \
     .setup = x509_parse_setup,                                                                                        \
     .call = x509_parse_call,                                                                                          \
     .teardown = free_state}
/* Paths are verified in the layer that is called as OpenSSL's functions are. */
#ifdef OPENSSL_EXTRA
#define X509_CAN_VERIFY 1
#define X509_VERIFY(ALGORITHM)                                                                                         \
    ,                                                                                                                  \
    {                                                                                                                  \
        .id = ALGORITHM "/verify-chain", .impl = "default", .name = "wolfSSL_X509_verify_cert",                        \
        .setup = x509_verify_setup, .call = x509_verify_call, .teardown = x509_verify_teardown                         \
    }
#else
#define X509_VERIFY(ALGORITHM)
#endif
/* The extension for the use of a key is there with --enable-certext alone. */
#if defined(WOLFSSL_CERT_GEN) && defined(WOLFSSL_CERT_EXT) && defined(WOLFSSL_ALT_NAMES)
#define X509_CAN_ISSUE 1
#define X509_ISSUE(ALGORITHM)                                                                                          \
    , {.id = ALGORITHM "/issue",                                                                                       \
       .impl = "default",                                                                                              \
       .name = "wc_MakeCert_ex, wc_SignCert_ex",                                                                       \
       .setup = x509_issue_setup,                                                                                      \
       .call = x509_issue_call,                                                                                        \
       .teardown = x509_issue_teardown,                                                                                \
       .seed = seed_random,                                                                                            \
       .counts_random = 1}
#else
#define X509_ISSUE(ALGORITHM)
#endif
#define X509_ROWS_OF(ALGORITHM) X509_PARSE(ALGORITHM) X509_VERIFY(ALGORITHM) X509_ISSUE(ALGORITHM)
#define X509_ROWS X509_ROWS_OF("x509-p256"), X509_ROWS_OF("x509-rsa-2048")

#endif
