/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the rows of certificates, for the table in adapter.cpp, where it is built with its module x509.
 */
#ifndef CIPHERSTONE_BOTAN_X509_H
#define CIPHERSTONE_BOTAN_X509_H

#include "adapter.h"

#include <botan/build.h>

#ifdef BOTAN_HAS_X509_CERTIFICATES
#define X509_CAN 1
namespace cs_botan
{

const char *x509_unavailable(const cs_op *op) noexcept;
int call_x509_parse(cs_case *c) noexcept;
int setup_x509_verify(cs_case *c) noexcept;
int call_x509_verify(cs_case *c) noexcept;
void teardown_x509_verify(cs_case *c) noexcept;
int setup_x509_issue(cs_case *c) noexcept;
int call_x509_issue(cs_case *c) noexcept;
void teardown_x509_issue(cs_case *c) noexcept;

} // namespace cs_botan

#define X509_ROWS_OF(ALGORITHM, CANNOT)                                                                                \
    {.id = ALGORITHM "/parse", .impl = "default", .name = "X509_Certificate", .call = call_x509_parse},                \
        {.id = ALGORITHM "/verify-chain",                                                                              \
         .impl = "default",                                                                                            \
         .name = "x509_path_validate",                                                                                 \
         .setup = setup_x509_verify,                                                                                   \
         .call = call_x509_verify,                                                                                     \
         .teardown = teardown_x509_verify,                                                                             \
         .unavailable = CANNOT},                                                                                       \
        {.id = ALGORITHM "/issue",                                                                                     \
         .impl = "default",                                                                                            \
         .name = "X509_CA::make_cert",                                                                                 \
         .setup = setup_x509_issue,                                                                                    \
         .call = call_x509_issue,                                                                                      \
         .teardown = teardown_x509_issue,                                                                              \
         .unavailable = CANNOT,                                                                                        \
         .seed = seed_rng,                                                                                             \
         .counts_random = 1},
#define X509_ROWS X509_ROWS_OF("x509-p256", nullptr) X509_ROWS_OF("x509-rsa-2048", x509_unavailable)
#else
#define X509_ROWS
#endif

#endif
