/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: the rows of certificates, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_GNUTLS_X509_H
#define CIPHERSTONE_GNUTLS_X509_H

#include "x509.h"
#include "adapter.h"

int x509_parse_call(cs_case *c);
int x509_verify_setup(cs_case *c);
int x509_verify_call(cs_case *c);
void x509_verify_teardown(cs_case *c);
int x509_issue_setup(cs_case *c);
int x509_issue_call(cs_case *c);
void x509_issue_teardown(cs_case *c);

#define X509_ROWS_OF(ALGORITHM)                                                                                        \
    {.id = ALGORITHM "/parse", .impl = "default", .name = "gnutls_x509_crt_import", .call = x509_parse_call},          \
        {.id = ALGORITHM "/verify-chain",                                                                              \
         .impl = "default",                                                                                            \
         .name = "gnutls_x509_trust_list_verify_crt2",                                                                 \
         .setup = x509_verify_setup,                                                                                   \
         .call = x509_verify_call,                                                                                     \
         .teardown = x509_verify_teardown},                                                                            \
    {                                                                                                                  \
        .id = ALGORITHM "/issue", .impl = "default", .name = "gnutls_x509_crt_privkey_sign",                           \
        .setup = x509_issue_setup, .call = x509_issue_call, .teardown = x509_issue_teardown, .seed = seed_random       \
    }
#define X509_ROWS X509_ROWS_OF("x509-p256"), X509_ROWS_OF("x509-rsa-2048")

#endif
