/* SPDX-License-Identifier: Apache-2.0
 *
 * Application data, for peers alone (peer.c): what an adapter may bring under #ifdef TLS_PEER, so that nothing of it is
 * in what is measured. An adapter without it makes peers that only shake hands.
 */
#ifndef CIPHERSTONE_LAB_TLS_DATA_H
#define CIPHERSTONE_LAB_TLS_DATA_H

#include "tls.h"

typedef struct tls_data {
    /* 1 if all of a few bytes was sent. */
    int (*write)(tls_case *s, int side, const uint8_t *from, int len);
    /* How many bytes came; 0 if the library waits for more of the peer, negative if it failed. */
    int (*read)(tls_case *s, int side, uint8_t *to, int most);
} tls_data;

extern const tls_data tls_data_here;

#endif
