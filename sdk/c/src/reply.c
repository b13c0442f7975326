/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes one JSON object into a bounded buffer. Numbers are formatted here, because printf would follow whatever locale
 * a library sets.
 */
#include "sdk.h"

#include <stdlib.h>
#include <string.h>

static char *buffer;
static size_t capacity;
static size_t used;
static uint64_t current_seq;
static bool need_comma;
static enum { FINE, TOO_LONG, NO_MEMORY } trouble;

static bool reserve(size_t more)
{
    if (trouble != FINE)
        return false;
    if (more > CS_LINE_MAX - used) {
        trouble = TOO_LONG;
        return false;
    }
    if (used + more <= capacity)
        return true;
    size_t wanted = capacity == 0 ? (size_t)16 << 10 : capacity;
    while (wanted < used + more)
        wanted *= 2;
    char *larger = realloc(buffer, wanted);
    if (larger == NULL) {
        trouble = NO_MEMORY;
        return false;
    }
    buffer = larger;
    capacity = wanted;
    return true;
}

static void put(const char *text, size_t len)
{
    if (!reserve(len))
        return;
    memcpy(buffer + used, text, len);
    used += len;
}

static void put_text(const char *text)
{
    put(text, strlen(text));
}

static void put_unsigned(uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    put(digits + at, sizeof digits - at);
}

/* Length of the well-formed UTF-8 sequence at `s` (Unicode 15, table 3-7), 0 if there is none. */
static size_t utf8_length(const unsigned char *s)
{
    static const unsigned char lows[] = {0x80, 0x80, 0x80};
    size_t n;
    unsigned char low = lows[0], high = 0xbf;
    if (s[0] >= 0xc2 && s[0] <= 0xdf) {
        n = 2;
    } else if (s[0] >= 0xe0 && s[0] <= 0xef) {
        n = 3;
        low = s[0] == 0xe0 ? 0xa0 : 0x80;
        high = s[0] == 0xed ? 0x9f : 0xbf;
    } else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
        n = 4;
        low = s[0] == 0xf0 ? 0x90 : 0x80;
        high = s[0] == 0xf4 ? 0x8f : 0xbf;
    } else {
        return 0;
    }
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 0;
    return n;
}

static void put_quoted(const char *text)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *s = (const unsigned char *)text;
    put("\"", 1);
    while (*s != '\0') {
        if (*s == '"' || *s == '\\') {
            char pair[2] = {'\\', (char)*s};
            put(pair, 2);
            s++;
        } else if (*s < 0x20 || *s == 0x7f) {
            char escape[6] = {'\\', 'u', '0', '0', digits[*s >> 4], digits[*s & 15]};
            put(escape, 6);
            s++;
        } else if (*s < 0x80) {
            put((const char *)s, 1);
            s++;
        } else {
            size_t n = utf8_length(s);
            if (n == 0) {
                put("\\ufffd", 6);
                s++;
            } else {
                put((const char *)s, n);
                s += n;
            }
        }
    }
    put("\"", 1);
}

static void put_key(const char *key)
{
    if (need_comma)
        put(",", 1);
    need_comma = true;
    put_quoted(key);
    put(":", 1);
}

void cs_reply_begin(uint64_t seq)
{
    used = 0;
    trouble = FINE;
    current_seq = seq;
    need_comma = false;
    put("{", 1);
    cs_reply_unsigned("seq", seq);
    cs_reply_bool("ok", true);
}

void cs_reply_string(const char *key, const char *text)
{
    put_key(key);
    if (text == NULL)
        put("null", 4);
    else
        put_quoted(text);
}

void cs_reply_unsigned(const char *key, uint64_t value)
{
    put_key(key);
    put_unsigned(value);
}

void cs_reply_signed(const char *key, int64_t value)
{
    put_key(key);
    if (value < 0)
        put("-", 1);
    put_unsigned(value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void put_number(double value)
{
    if (!(value >= 0 && value < 1e12)) {
        put("null", 4);
        return;
    }
    uint64_t millionths = (uint64_t)(value * 1e6 + 0.5);
    char fraction[8] = ".000000"; /* seven characters are put; without its end clang warns */
    put_unsigned(millionths / 1000000);
    millionths %= 1000000;
    for (size_t i = 6; i > 0; i--) {
        fraction[i] = (char)('0' + millionths % 10);
        millionths /= 10;
    }
    put(fraction, 7);
}

void cs_reply_number(const char *key, double value)
{
    put_key(key);
    put_number(value);
}

void cs_reply_bool(const char *key, bool value)
{
    put_key(key);
    put_text(value ? "true" : "false");
}

void cs_reply_null(const char *key)
{
    cs_reply_string(key, NULL);
}

void cs_reply_hex(const char *key, const uint8_t *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    put_key(key);
    if (!reserve(2 * len + 2))
        return;
    buffer[used++] = '"';
    for (size_t i = 0; i < len; i++) {
        buffer[used++] = digits[bytes[i] >> 4];
        buffer[used++] = digits[bytes[i] & 15];
    }
    buffer[used++] = '"';
}

void cs_reply_array(const char *key)
{
    put_key(key);
    put("[", 1);
    need_comma = false;
}

void cs_reply_element(uint64_t value)
{
    if (need_comma)
        put(",", 1);
    put_unsigned(value);
    need_comma = true;
}

void cs_reply_element_number(double value)
{
    if (need_comma)
        put(",", 1);
    put_number(value);
    need_comma = true;
}

void cs_reply_element_string(const char *text)
{
    if (need_comma)
        put(",", 1);
    put_quoted(text);
    need_comma = true;
}

void cs_reply_array_end(void)
{
    put("]", 1);
    need_comma = true;
}

void cs_reply_object(void)
{
    if (need_comma)
        put(",", 1);
    put("{", 1);
    need_comma = false;
}

void cs_reply_named_object(const char *key)
{
    put_key(key);
    put("{", 1);
    need_comma = false;
}

void cs_reply_object_end(void)
{
    put("}", 1);
    need_comma = true;
}

/* When even a small buffer cannot be had there is still this one. */
static bool send_without_memory(uint64_t seq)
{
    char text[96] = "{\"seq\":";
    size_t at = strlen(text), digits = at;
    do {
        text[at++] = (char)('0' + seq % 10);
        seq /= 10;
    } while (seq != 0);
    for (size_t i = digits, j = at - 1; i < j; i++, j--) {
        char swap = text[i];
        text[i] = text[j];
        text[j] = swap;
    }
    static const char rest[] = ",\"ok\":false,\"error\":\"out-of-memory\",\"detail\":\"no room for a reply\"}\n";
    memcpy(text + at, rest, sizeof rest - 1);
    return cs_channel_write(text, at + sizeof rest - 1);
}

bool cs_reply_end(void)
{
    put("}\n", 2);
    if (trouble == TOO_LONG)
        return cs_reply_error(current_seq, "unsupported-size", "the reply would pass 8 MiB; ask for form=crc32");
    if (trouble == NO_MEMORY)
        return send_without_memory(current_seq);
    return cs_channel_write(buffer, used);
}

bool cs_reply_error(uint64_t seq, const char *code, const char *detail)
{
    used = 0;
    trouble = FINE;
    need_comma = false;
    put("{", 1);
    cs_reply_unsigned("seq", seq);
    cs_reply_bool("ok", false);
    cs_reply_string("error", code);
    cs_reply_string("detail", detail);
    put("}\n", 2);
    return trouble == FINE ? cs_channel_write(buffer, used) : send_without_memory(seq);
}
