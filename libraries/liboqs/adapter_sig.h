/* SPDX-License-Identifier: Apache-2.0
 *
 * liboqs: the rows of ML-DSA, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBOQS_SIG_H
#define CIPHERSTONE_LIBOQS_SIG_H

#include "cipherstone.h"

#include <oqs/oqs.h>

/* The system's generator, which is the library's own source too; `counted` tells how many bytes were drawn. */
void oqs_system(uint8_t *out, size_t len);
void oqs_counted(uint8_t *out, size_t len);

const char *sig_unavailable(const struct cs_op *op);
void sig_teardown(cs_case *c);
int sig_keygen_setup(cs_case *c);
int sig_keygen_call(cs_case *c);
int sig_sign_setup(cs_case *c);
int sig_sign_call(cs_case *c);
int sig_verify_setup(cs_case *c);
int sig_verify_call(cs_case *c);

#define SIG_ROWS(ALGORITHM, NAME)                                                                                      \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "OQS_SIG_keypair",                                                                                        \
     .setup = sig_keygen_setup,                                                                                        \
     .call = sig_keygen_call,                                                                                          \
     .teardown = sig_teardown,                                                                                         \
     .param = NAME,                                                                                                    \
     .unavailable = sig_unavailable,                                                                                   \
     .counts_random = 1,                                                                                               \
     .seeded = 1},                                                                                                     \
        {.id = ALGORITHM "/sign",                                                                                      \
         .impl = "default",                                                                                            \
         .name = "OQS_SIG_sign",                                                                                       \
         .setup = sig_sign_setup,                                                                                      \
         .call = sig_sign_call,                                                                                        \
         .rekey = cs_setup_again,                                                                                      \
         .teardown = sig_teardown,                                                                                     \
         .param = NAME,                                                                                                \
         .unavailable = sig_unavailable,                                                                               \
         .counts_random = 1},                                                                                          \
    {                                                                                                                  \
        .id = ALGORITHM "/verify", .impl = "default", .name = "OQS_SIG_verify", .setup = sig_verify_setup,             \
        .call = sig_verify_call, .rekey = cs_key_in_call, .teardown = sig_teardown, .param = NAME,                     \
        .unavailable = sig_unavailable                                                                                 \
    }

#endif
