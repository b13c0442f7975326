/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_NSS_ADAPTER_H
#define CIPHERSTONE_NSS_ADAPTER_H

#include <keyhi.h>
#include <pk11pub.h>
#include <seccomon.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* Once a process: the library without a database, and its software token. */
const char *nss_open(void);

/* Once a process: the generator is seeded by drawing from it. */
const char *nss_seed(void);

/* The software token, for rows that have nss_open. */
extern PK11SlotInfo *token;

/* Bytes that the library reads only: its structure has no other kind of pointer. */
SECItem item(const uint8_t *data, size_t len);

/* CS_OK, or CS_ERROR with the name of the library's error. */
int done(SECStatus status);

/* ---- adapter_pkey.c ---- */

struct pair {
    SECKEYPrivateKey *key;
    SECKEYPublicKey *pub;
};

void pair_teardown(cs_case *c);
/* A public key out of its SubjectPublicKeyInfo, or NULL; the caller destroys it. */
SECKEYPublicKey *read_public(const uint8_t *der, size_t len);
/* The setup of calls that make a key pair of their own. */
int keygen_setup(cs_case *c);

extern const cs_table nss_pkey, nss_keys, nss_rsa, nss_dsa, nss_ffdh, nss_random, nss_kdf, nss_import, nss_x509,
    nss_issue, nss_newer;

#endif
