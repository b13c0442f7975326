/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: the rows of certificate paths, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_BEARSSL_X509_H
#define CIPHERSTONE_BEARSSL_X509_H

#include "x509.h"
#include "adapter.h"

int bear_x509_setup(cs_case *c);
int bear_x509_verify(cs_case *c);

#define X509_ROW(ALGORITHM)                                                                                            \
    {.id = ALGORITHM "/verify-chain",                                                                                  \
     .impl = "default",                                                                                                \
     .name = "br_x509_minimal",                                                                                        \
     .setup = bear_x509_setup,                                                                                         \
     .call = bear_x509_verify,                                                                                         \
     .teardown = bear_free}
#define X509_ROWS X509_ROW("x509-p256"), X509_ROW("x509-rsa-2048")

#endif
