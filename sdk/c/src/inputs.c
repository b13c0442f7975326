/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of inputs (PROTOCOL.md section 2) and the checksum of outputs.
 */
#include "sdk.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cs_values_from_files = false;

static bool is_file(const char *text)
{
    return cs_values_from_files && strncmp(text, "file:", 5) == 0;
}

static enum cs_decode file_length(const char *path, size_t *len)
{
    struct stat found;
    if (stat(path, &found) != 0 || !S_ISREG(found.st_mode))
        return CS_DECODE_MALFORMED;
    if ((uint64_t)found.st_size > CS_INPUT_MAX)
        return CS_DECODE_TOO_LONG;
    *len = (size_t)found.st_size;
    return CS_DECODE_OK;
}

static enum cs_decode file_bytes(const char *path, uint8_t *out, size_t len)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return CS_DECODE_MALFORMED;
    ssize_t n = 1;
    for (size_t at = 0; at < len && n > 0; at += (size_t)n) {
        n = read(file, out + at, len - at);
        if (n < 0)
            break;
    }
    close(file);
    return n > 0 || len == 0 ? CS_DECODE_OK : CS_DECODE_MALFORMED;
}

/* 0 to 15, or above for what is no digit. A table, because digits are random and a branch would be mispredicted at
 * every other one: inputs of a mebibyte are read in every pass. */
static const uint8_t *nibbles(void)
{
    static uint8_t table[256];
    if (table[0] == 0) {
        memset(table, 0xff, sizeof table);
        for (int i = 0; i < 16; i++)
            table[(uint8_t)"0123456789abcdef"[i]] = (uint8_t)i;
    }
    return table;
}

/* Cuts gen:SEED:LENGTH. */
static bool generator(const char *text, uint64_t *seed, uint64_t *len)
{
    const char *colon = strchr(text, ':');
    char digits[21];
    if (colon == NULL || (size_t)(colon - text) >= sizeof digits)
        return false;
    memcpy(digits, text, (size_t)(colon - text));
    digits[colon - text] = '\0';
    return cs_decimal(digits, seed) && cs_decimal(colon + 1, len);
}

enum cs_decode cs_value_length(const char *text, size_t *len)
{
    if (strncmp(text, "hex:", 4) == 0) {
        size_t digits = strlen(text + 4);
        if (digits % 2 != 0)
            return CS_DECODE_MALFORMED;
        *len = digits / 2;
        return CS_DECODE_OK;
    }
    if (is_file(text))
        return file_length(text + 5, len);
    uint64_t seed, bytes;
    if (strncmp(text, "gen:", 4) != 0 || !generator(text + 4, &seed, &bytes))
        return CS_DECODE_MALFORMED;
    if (bytes > CS_INPUT_MAX)
        return CS_DECODE_TOO_LONG;
    *len = (size_t)bytes;
    return CS_DECODE_OK;
}

enum cs_decode cs_value_bytes(const char *text, uint8_t *out, size_t len)
{
    if (text[0] == 'g') {
        uint64_t seed, bytes;
        if (!generator(text + 4, &seed, &bytes))
            return CS_DECODE_MALFORMED;
        cs_splitmix64(seed, out, len);
        return CS_DECODE_OK;
    }
    if (is_file(text))
        return file_bytes(text + 5, out, len);
    const char *digits = text + 4;
    const uint8_t *value = nibbles();
    unsigned wrong = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned high = value[(uint8_t)digits[2 * i]], low = value[(uint8_t)digits[2 * i + 1]];
        wrong |= high | low;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return wrong > 15 ? CS_DECODE_MALFORMED : CS_DECODE_OK;
}

void cs_splitmix64(uint64_t seed, uint8_t *out, size_t len)
{
    for (size_t at = 0; at < len;) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        for (unsigned i = 0; i < 8 && at < len; i++)
            out[at++] = (uint8_t)(z >> (8 * i));
    }
}

uint32_t cs_crc32(const uint8_t *bytes, size_t len)
{
    /* Eight tables, eight bytes a step: outputs of a mebibyte are checked in every pass. */
    static uint32_t table[8][256];
    if (table[0][1] == 0) {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t v = i;
            for (int bit = 0; bit < 8; bit++)
                v = (v >> 1) ^ (0xedb88320u & (0u - (v & 1u)));
            table[0][i] = v;
        }
        for (size_t t = 1; t < 8; t++)
            for (size_t i = 0; i < 256; i++)
                table[t][i] = (table[t - 1][i] >> 8) ^ table[0][table[t - 1][i] & 0xff];
    }
    uint32_t crc = 0xffffffffu;
    for (; len >= 8; bytes += 8, len -= 8) {
        uint32_t low =
            crc ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
        crc = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^ table[4][low >> 24] ^
              table[3][bytes[4]] ^ table[2][bytes[5]] ^ table[1][bytes[6]] ^ table[0][bytes[7]];
    }
    for (; len > 0; bytes++, len--)
        crc = (crc >> 8) ^ table[0][(crc ^ *bytes) & 0xff];
    return ~crc;
}
