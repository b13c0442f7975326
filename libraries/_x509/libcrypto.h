/* SPDX-License-Identifier: Apache-2.0
 *
 * Certificates with the interface that OpenSSL, BoringSSL and AWS-LC have in common: the rows of their tables.
 */
#ifndef CIPHERSTONE_X509_LIBCRYPTO_H
#define CIPHERSTONE_X509_LIBCRYPTO_H

#include "x509.h"

int x509_parse_call(cs_case *c);
int x509_verify_setup(cs_case *c);
int x509_verify_call(cs_case *c);
int x509_issue_setup(cs_case *c);
int x509_issue_call(cs_case *c);
void x509_teardown(cs_case *c);

/* What both rows of a library have beside it (once a process) follows. */
#define X509_ROWS_OF(ALGORITHM, ...)                                                                                   \
    {.id = ALGORITHM "/parse", .impl = "default", .name = "d2i_X509", .call = x509_parse_call, __VA_ARGS__},           \
        {.id = ALGORITHM "/verify-chain",                                                                              \
         .impl = "default",                                                                                            \
         .name = "X509_verify_cert",                                                                                   \
         .setup = x509_verify_setup,                                                                                   \
         .call = x509_verify_call,                                                                                     \
         .teardown = x509_teardown,                                                                                    \
         __VA_ARGS__},                                                                                                 \
    {                                                                                                                  \
        .id = ALGORITHM "/issue", .impl = "default", .name = "X509_sign", .setup = x509_issue_setup,                   \
        .call = x509_issue_call, .teardown = x509_teardown, __VA_ARGS__                                                \
    }
#define X509_ROWS(...) X509_ROWS_OF("x509-p256", __VA_ARGS__), X509_ROWS_OF("x509-rsa-2048", __VA_ARGS__)

#endif
