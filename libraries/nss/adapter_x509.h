/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: the rows of certificates, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NSS_X509_H
#define CIPHERSTONE_NSS_X509_H

#include "adapter.h"
#include "x509.h"

int x509_parse_call(cs_case *c);
int x509_verify_setup(cs_case *c);
int x509_verify_call(cs_case *c);
void x509_verify_teardown(cs_case *c);
int x509_issue_setup(cs_case *c);
int x509_issue_call(cs_case *c);

#define X509_ROW(ALGORITHM)                                                                                            \
    {.id = ALGORITHM "/parse",                                                                                         \
     .impl = "default",                                                                                                \
     .name = "CERT_NewTempCertificate",                                                                                \
     .call = x509_parse_call,                                                                                          \
     .open = nss_open},                                                                                                \
        {.id = ALGORITHM "/verify-chain",                                                                              \
         .impl = "default",                                                                                            \
         .name = "CERT_VerifyCert",                                                                                    \
         .setup = x509_verify_setup,                                                                                   \
         .call = x509_verify_call,                                                                                     \
         .teardown = x509_verify_teardown,                                                                             \
         .open = nss_open},                                                                                            \
    {                                                                                                                  \
        .id = ALGORITHM "/issue", .impl = "default", .name = "CERT_CreateCertificate, SEC_DerSignData",                \
        .setup = x509_issue_setup, .call = x509_issue_call, .teardown = pair_teardown, .open = nss_open,               \
        .seed = nss_seed                                                                                               \
    }
#define X509_ROWS X509_ROW("x509-p256"), X509_ROW("x509-rsa-2048")

#endif
