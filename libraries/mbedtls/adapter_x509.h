/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: the rows of certificates, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_MBEDTLS_X509_H
#define CIPHERSTONE_MBEDTLS_X509_H

#include "adapter.h"
#include "x509.h"

int setup_x509_parse(cs_case *c);
int call_x509_parse(cs_case *c);
void teardown_x509_parse(cs_case *c);
int setup_x509_verify(cs_case *c);
int call_x509_verify(cs_case *c);
void teardown_x509_verify(cs_case *c);
int setup_x509_issue(cs_case *c);
int call_x509_issue(cs_case *c);
void teardown_x509_issue(cs_case *c);

#define X509_ROW(ID, NAME, KIND, ...)                                                                                  \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_x509_##KIND,                                                                                       \
     .call = call_x509_##KIND,                                                                                         \
     .teardown = teardown_x509_##KIND,                                                                                 \
     __VA_ARGS__}
#define X509_ROWS_OF(ALGORITHM)                                                                                        \
    X509_ROW(ALGORITHM "/parse", "mbedtls_x509_crt_parse_der", parse, .seed = NULL),                                   \
        X509_ROW(ALGORITHM "/verify-chain", "mbedtls_x509_crt_verify", verify, .seed = NULL),                          \
        X509_ROW(ALGORITHM "/issue", "mbedtls_x509write_crt_der", issue, .seed = seed_drbg, .counts_random = 1)
#define X509_ROWS X509_ROWS_OF("x509-p256"), X509_ROWS_OF("x509-rsa-2048")

#endif
