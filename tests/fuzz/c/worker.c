/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzing: a whole worker of the toy library, line after line, without processes and pipes. What measures, forks or
 * prints is left out. Every line has one reply, which is a line of printable text with balanced brackets.
 */
#include "../../../sdk/c/src/worker.c"

#define main toy_main
#define refused toy_refused
int toy_main(int argc, char **argv);
#include "../../../sdk/c/tests/toy_adapter.c"
#undef main
#undef refused

#include <unistd.h>

#define VALUE_MAX ((size_t)1 << 14)
#define LINES_MAX 12

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replies;

static void need(bool right)
{
    if (!right)
        abort();
}

bool cs_channel_open(void)
{
    return true;
}

enum cs_read cs_channel_read(char **line, size_t *len)
{
    (void)line;
    (void)len;
    return CS_READ_END;
}

bool cs_channel_write(const char *bytes, size_t len)
{
    int depth = 0;
    bool quoted = false;
    need(len >= 2 && len <= CS_LINE_MAX && bytes[0] == '{' && bytes[len - 1] == '\n');
    for (size_t i = 0; i + 1 < len; i++) {
        need((uint8_t)bytes[i] >= 0x20 && bytes[i] != 0x7f);
        if (quoted && bytes[i] == '\\')
            i++;
        else if (bytes[i] == '"')
            quoted = !quoted;
        else if (!quoted && (bytes[i] == '{' || bytes[i] == '['))
            depth++;
        else if (!quoted && (bytes[i] == '}' || bytes[i] == ']'))
            need(--depth >= 0);
    }
    need(depth == 0 && !quoted);
    replies++;
    return true;
}

/* Verbs that take no long time and go on; of inputs those that are short. */
static bool quick(const char *text, size_t len)
{
    static const char *const left_out[] = {"run", "memory", "probe", "check-probe", "objects", "bye"};
    static char copy[1 << 14];
    cs_request request;
    if (len >= sizeof copy)
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (strstr(copy, "toy-slow") != NULL || strstr(copy, "toy-delay") != NULL || strstr(copy, "toy-noisy") != NULL ||
        strstr(copy, "fork=") != NULL)
        return false;
    if (cs_request_parse(copy, len, &request) != NULL)
        return true;
    for (size_t i = 0; i < CS_COUNT(left_out); i++)
        if (strcmp(request.verb, left_out[i]) == 0)
            return false;
    for (size_t i = 0; i < request.count; i++) {
        size_t bytes;
        if (cs_value_length(request.field[i].value, &bytes) == CS_DECODE_OK && bytes > VALUE_MAX)
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    library = &toy;
    for (size_t lines = 0; size > 0 && lines < LINES_MAX; lines++) {
        const uint8_t *newline = memchr(data, '\n', size);
        size_t len = newline == NULL ? size : (size_t)(newline - data);
        char *line = malloc(len + 1);
        if (line == NULL)
            break;
        memcpy(line, data, len);
        if (quick(line, len)) {
            size_t before = replies;
            (void)cs_worker_serve(line, len);
            need(replies == before + 1);
        }
        free(line);
        size -= newline == NULL ? len : len + 1;
        data += newline == NULL ? len : len + 1;
    }
    for (size_t i = 0; i < CS_CASES; i++) {
        cs_slot_close(slots[i]);
        slots[i] = NULL;
    }
    return 0;
}
