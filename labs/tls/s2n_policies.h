/* SPDX-License-Identifier: Apache-2.0
 *
 * s2n-tls, shared by its files: named policies, and the cache that sessions are resumed from by their ids.
 */
#ifndef CIPHERSTONE_LAB_TLS_S2N_POLICIES_H
#define CIPHERSTONE_LAB_TLS_S2N_POLICIES_H

#include <openssl/crypto.h>

#include "tls.h"
#include <s2n.h>

/* The policy of a side, so that both agree on the parameters of `wish`. NULL if no two policies do, except those that
 * upstream has for its own tests. */
const char *s2n_policy_of(const tls_wish *wish, int side);

/* IANA's numbers for the values that s2n-tls reports; 0 for a value that the laboratory does not use. */
int s2n_signature_of(int found, int hash);
int s2n_group_of(struct s2n_connection *connection);

/* The server's part of resuming by session id, of one session. */
typedef struct s2n_kept {
    uint8_t id[64], state[1024];
    uint64_t id_length, state_length;
} s2n_kept;

int s2n_keep_sessions(struct s2n_config *config, s2n_kept *kept);

#endif
