/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests: `SEQ VERB [key=value ...]`, one space between fields (PROTOCOL.md section 1).
 */
#include "sdk.h"

#include <string.h>

const char *cs_request_value(const cs_request *request, const char *name)
{
    for (size_t i = 0; i < request->count; i++)
        if (strcmp(request->field[i].name, name) == 0)
            return request->field[i].value;
    return NULL;
}

bool cs_decimal(const char *text, uint64_t *value)
{
    uint64_t v = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (v > (UINT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *value = v;
    return true;
}

uint64_t cs_request_seq(const char *line, size_t len)
{
    char digits[21];
    size_t n = 0;
    uint64_t seq = 0;
    while (n < len && n < sizeof digits - 1 && line[n] >= '0' && line[n] <= '9') {
        digits[n] = line[n];
        n++;
    }
    if (n < len && line[n] != ' ')
        return 0;
    digits[n] = '\0';
    return cs_decimal(digits, &seq) ? seq : 0;
}

/* Stores a field, whose name ends at `equals`. Returns NULL or what is wrong. */
static const char *store(cs_request *request, char *name, char *equals)
{
    *equals = '\0';
    if (cs_request_value(request, name) != NULL)
        return "a key appears twice";
    if (request->count == CS_FIELDS_MAX)
        return "more than 64 fields";
    request->field[request->count++] = (cs_field){name, equals + 1};
    return NULL;
}

const char *cs_request_parse(char *line, size_t len, cs_request *request)
{
    request->verb = NULL;
    request->count = 0;
    request->seq = cs_request_seq(line, len);
    unsigned other = 0; /* no exit from the loop: lines have megabytes */
    for (size_t i = 0; i < len; i++)
        other |= (unsigned)(uint8_t)line[i] - ' ' > '~' - ' ';
    if (other)
        return "a byte that is not printable ASCII";
    line[len] = '\0';

    char *end = strchr(line, ' ');
    if (end != NULL)
        *end = '\0';
    uint64_t seq;
    if (!cs_decimal(line, &seq))
        return "the line does not begin with a decimal number";
    if (end == NULL)
        return "no verb";

    char *field = end + 1;
    request->verb = field;
    bool first = true;
    for (;;) {
        end = strchr(field, ' ');
        if (end != NULL)
            *end = '\0';
        if (*field == '\0')
            return "an empty field";
        if (!first) {
            char *equals = strchr(field, '=');
            if (equals == NULL || equals == field)
                return "a field is not key=value";
            const char *wrong = store(request, field, equals);
            if (wrong != NULL)
                return wrong;
        }
        if (end == NULL)
            return NULL;
        field = end + 1;
        first = false;
    }
}
