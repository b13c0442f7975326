/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSTOY_H
#define CSTOY_H

#include <stddef.h>
#include <stdint.h>

const char *cstoy_version(void);
void cstoy_hash(const uint8_t *message, size_t length, uint8_t digest[32]);

#endif
