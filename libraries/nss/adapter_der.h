/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: keys in DER (X.690), which is what the library reads, written in setup.
 */
#ifndef CIPHERSTONE_NSS_DER_H
#define CIPHERSTONE_NSS_DER_H

#include <string.h>

#include "adapter.h"

enum { DER_ROOM = 2560 };
enum { INTEGER = 0x02, BIT_STRING = 0x03, OCTET_STRING = 0x04, SEQUENCE = 0x30 };

/* Written from its end, because a length stands before what it counts. */
struct der {
    uint8_t bytes[DER_ROOM];
    size_t at; /* where the first byte is */
};

static void push(struct der *der, const uint8_t *bytes, size_t len)
{
    der->at -= len;
    memcpy(der->bytes + der->at, bytes, len);
}

static void push_byte(struct der *der, size_t byte)
{
    der->bytes[--der->at] = (uint8_t)byte;
}

/* Tag and length of what begins now and ends before `end`. */
static void head(struct der *der, uint8_t tag, size_t end)
{
    size_t len = end - der->at, bytes = 0;

    for (size_t rest = len; len > 127 && rest > 0; rest >>= 8, bytes++)
        push_byte(der, rest & 0xff);
    push_byte(der, bytes > 0 ? 0x80 | bytes : len);
    push_byte(der, tag);
}

static void integer(struct der *der, cs_span number)
{
    size_t end = der->at;

    while (number.len > 1 && number.data[0] == 0) {
        number.data++;
        number.len--;
    }
    push(der, number.data, number.len);
    if (number.data[0] & 0x80)
        push_byte(der, 0);
    head(der, INTEGER, end);
}

static const uint8_t zero[] = {INTEGER, 1, 0};

#endif
