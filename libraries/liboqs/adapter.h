/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_LIBOQS_ADAPTER_H
#define CIPHERSTONE_LIBOQS_ADAPTER_H

#include "cipherstone.h"

/* The system's generator, which is the library's own source too; `counted` tells how many bytes were drawn. */
void oqs_system(uint8_t *out, size_t len);
void oqs_counted(uint8_t *out, size_t len);

extern const cs_table liboqs_sig;

#endif
