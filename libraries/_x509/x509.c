/* SPDX-License-Identifier: Apache-2.0 */
#include "x509.h"

#include <stdio.h>
#include <string.h>

/* Bytes of the fields with a point of P-256. */
#define WITH_POINT ((size_t)CS_X509_HEAD + (size_t)CS_P256_POINT)

enum { DAY = 86400, DAYS_400 = 146097, DAYS_TO_1970 = 719468 };

int64_t cs_x509_time(cs_span input)
{
    uint64_t value = 0;

    for (size_t i = 0; i < input.len; i++)
        value = value << 8 | input.data[i];
    return (int64_t)value;
}

/* Years begin in March, so that the day that some have more is the last one. */
int64_t cs_x509_seconds(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t minute, int64_t second)
{
    int64_t y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t days = era * DAYS_400 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - DAYS_TO_1970;

    return days * DAY + hour * 3600 + minute * 60 + second;
}

void cs_x509_date(int64_t seconds, char out[CS_X509_DATE])
{
    int64_t day = seconds / DAY - (seconds % DAY < 0), rest = seconds - day * DAY;
    int64_t year = 1970 + day / 366 - (day < 0), month = 12;

    while (cs_x509_seconds(year + 1, 1, 1, 0, 0, 0) <= day * DAY)
        year++;
    while (cs_x509_seconds(year, month, 1, 0, 0, 0) > day * DAY)
        month--;
    day -= cs_x509_seconds(year, month, 1, 0, 0, 0) / DAY;
    snprintf(out, CS_X509_DATE, "%04u%02u%02u%02u%02u%02uZ", (unsigned)year % 10000, (unsigned)month % 100,
             (unsigned)(day + 1) % 100, (unsigned)(rest / 3600) % 100, (unsigned)(rest / 60 % 60),
             (unsigned)(rest % 60));
}

/* How many of the bytes an element of DER has that begins there; all of them if it is none. */
static size_t element(cs_span bytes)
{
    size_t len, head = 2;

    if (bytes.len < 2)
        return bytes.len;
    len = bytes.data[1];
    if (len > 0x80 && len <= 0x84) {
        head += len - 0x80;
        len = 0;
        for (size_t i = 2; i < head && i < bytes.len; i++)
            len = len << 8 | bytes.data[i];
    }
    return len <= bytes.len && head <= bytes.len - len ? head + len : bytes.len;
}

size_t cs_x509_path(const cs_case *c, cs_span path[CS_X509_PATH])
{
    cs_span rest = cs_input(c, "intermediates");
    size_t count = 1;

    path[0] = cs_input(c, "leaf");
    while (rest.len > 0 && count < CS_X509_PATH) {
        size_t len = count + 1 < CS_X509_PATH ? element(rest) : rest.len;

        path[count].data = rest.data;
        path[count++].len = len;
        rest.data += len;
        rest.len -= len;
    }
    return count;
}

int cs_x509_text(cs_span input, char out[CS_X509_TEXT])
{
    if (input.len >= CS_X509_TEXT)
        return cs_fail("a name is longer than 255 bytes");
    if (input.len > 0)
        memcpy(out, input.data, input.len);
    out[input.len] = '\0';
    return CS_OK;
}

static void put_time(uint8_t *at, int64_t seconds)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)((uint64_t)seconds >> (56 - 8 * i));
}

/* Right-aligned in `len` bytes. 1 if it fits. */
static int put(uint8_t *at, size_t len, cs_span number)
{
    while (number.len > 0 && number.data[0] == 0) {
        number.data++;
        number.len--;
    }
    if (number.len > len)
        return 0;
    memset(at, 0, len - number.len);
    if (number.len > 0)
        memcpy(at + len - number.len, number.data, number.len);
    return 1;
}

int cs_x509_put(cs_case *c, int ca, int64_t since, int64_t until, cs_span serial)
{
    if (c->out_cap < CS_X509_HEAD)
        return cs_fail("there is no room for the fields");
    c->out[0] = ca != 0;
    put_time(c->out + 1, since);
    put_time(c->out + 9, until);
    return put(c->out + 17, CS_X509_SERIAL, serial) ? CS_OK : CS_REJECTED;
}

int cs_x509_put_point(cs_case *c, cs_span x, cs_span y)
{
    uint8_t *at = c->out + CS_X509_HEAD;

    if (c->out_cap != WITH_POINT)
        return CS_REJECTED;
    at[0] = 4;
    c->out_len = c->out_cap;
    return put(at + 1, CS_P256_BYTES, x) && put(at + 1 + CS_P256_BYTES, CS_P256_BYTES, y) ? CS_OK : CS_REJECTED;
}

int cs_x509_put_rsa(cs_case *c, cs_span n, cs_span e)
{
    size_t len = c->out_cap - (size_t)CS_X509_HEAD - (size_t)CS_RSA_EXPONENT;
    uint8_t *at = c->out + CS_X509_HEAD;

    if (c->out_cap <= WITH_POINT)
        return CS_REJECTED;
    c->out_len = c->out_cap;
    return put(at, len, n) && put(at + len, CS_RSA_EXPONENT, e) ? CS_OK : CS_REJECTED;
}

int cs_x509_is_rsa(const cs_case *c)
{
    return strncmp(c->op->id, "x509-rsa-", 9) == 0;
}

/* ---- private keys ---- */

static size_t ec_private_key(const cs_case *c, uint8_t *out)
{
    static const uint8_t head[] = {0x30, 0x77, 0x02, 0x01, 0x01, 0x04, 0x20};
    static const uint8_t curve[] = {0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d,
                                    0x03, 0x01, 0x07, 0xa1, 0x44, 0x03, 0x42, 0x00};
    uint8_t *at = out;

    memcpy(at, head, sizeof head);
    at += sizeof head;
    memcpy(at, c->key.data, CS_P256_BYTES);
    at += CS_P256_BYTES;
    memcpy(at, curve, sizeof curve);
    at += sizeof curve;
    memcpy(at, c->pub.data, CS_P256_POINT);
    return (size_t)(at + CS_P256_POINT - out);
}

/* An INTEGER whose length is written in two bytes, whatever it is, is none of DER: the form follows the length. */
static uint8_t *put_integer(uint8_t *at, cs_span number)
{
    size_t len;

    while (number.len > 1 && number.data[0] == 0) {
        number.data++;
        number.len--;
    }
    len = number.len + (number.data[0] >> 7);
    *at++ = 0x02;
    if (len >= 256) {
        *at++ = 0x82;
        *at++ = (uint8_t)(len >> 8);
    } else if (len >= 128) {
        *at++ = 0x81;
    }
    *at++ = (uint8_t)len;
    if (len > number.len)
        *at++ = 0;
    memcpy(at, number.data, number.len);
    return at + number.len;
}

static size_t rsa_private_key(const cs_case *c, uint8_t *out)
{
    static const uint8_t zero[1] = {0};
    const cs_span version = {zero, sizeof zero};
    enum { HEAD = 4 };
    cs_rsa_key key;
    uint8_t *at = out + HEAD;
    size_t len;

    if (cs_rsa_numbers(c, &key) != CS_OK)
        return 0;
    at = put_integer(at, version);
    at = put_integer(at, key.n);
    at = put_integer(at, key.e);
    at = put_integer(at, key.d);
    for (int i = 0; i < CS_CRT_PARTS; i++)
        at = put_integer(at, key.part[i]);
    len = (size_t)(at - out) - HEAD;
    out[0] = 0x30;
    out[1] = 0x82;
    out[2] = (uint8_t)(len >> 8);
    out[3] = (uint8_t)len;
    return len + HEAD;
}

size_t cs_x509_private_key(const cs_case *c, uint8_t out[CS_X509_KEY_DER])
{
    return cs_x509_is_rsa(c) ? rsa_private_key(c, out) : ec_private_key(c, out);
}
