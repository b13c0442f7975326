/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_GNUTLS_ADAPTER_H
#define CIPHERSTONE_GNUTLS_ADAPTER_H

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

#if GNUTLS_VERSION_NUMBER < 0x030705
#error "this adapter needs GnuTLS 3.7.5 or later"
#endif

/* Bytes that the library reads only: its structure has no other kind of pointer. */
gnutls_datum_t datum(cs_span span);

/* CS_OK, or CS_ERROR with what the library says of `status`. */
int done(int status);

/* Once a process: the generator is seeded by drawing from it. */
const char *seed_random(void);

/* A key pair or a public key. */
struct key_state {
    gnutls_privkey_t key;
    gnutls_pubkey_t pub;
};

/* Makes an empty key_state as `state`. NULL if there is no memory. */
struct key_state *new_keys(cs_case *c);
void key_teardown(cs_case *c);

/* CS_OK, or what `status` stands for after the state is freed: the SDK calls no teardown then. */
int key_ready(cs_case *c, int status);

/* What a row of a signature points to. `flags` are of the signer. */
struct scheme {
    gnutls_ecc_curve_t curve;
    gnutls_sign_algorithm_t algorithm;
    unsigned flags;
};

int sign_call(cs_case *c);
int verify_call(cs_case *c);

/* What a row of key generation points to. */
struct kind {
    gnutls_pk_algorithm_t algorithm;
    unsigned bits;
    int (*put)(cs_case *c, gnutls_privkey_t key);
};

int keygen_setup(cs_case *c);
int keygen_call(cs_case *c);

extern const cs_table gnutls_hashes, gnutls_random, gnutls_pkey, gnutls_ffdh, gnutls_rsa, gnutls_dsa, gnutls_kdf,
    gnutls_import, gnutls_x509;

#endif
