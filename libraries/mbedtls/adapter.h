/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_MBEDTLS_ADAPTER_H
#define CIPHERSTONE_MBEDTLS_ADAPTER_H

#include <mbedtls/ctr_drbg.h>

#include "cipherstone.h"

/* Blinding in the elliptic curve functions needs random bytes; one generator serves the process. */
extern mbedtls_ctr_drbg_context cs_mbedtls_drbg;

/* CS_OK for 0, CS_ERROR for any other return value of the library. */
int from_mbedtls(int ret);

/* For a setup that fails after it made its state, because the SDK tears down only what was set up: tears the case down
 * and stores "FUNCTION returned -0xRET". Returns CS_ERROR. */
int give_up(cs_case *c, const char *function, int ret);

int setup_x25519(cs_case *c);
int call_x25519(cs_case *c);
void teardown_x25519(cs_case *c);

int setup_ecdsa_sign(cs_case *c);
int call_ecdsa_sign(cs_case *c);
int setup_ecdsa_verify(cs_case *c);
int call_ecdsa_verify(cs_case *c);
void teardown_ecdsa(cs_case *c);

#endif
