/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzing: lines out of a stream that comes in pieces of any length. The first two bytes say how long pieces are; a
 * line may be longer than the longest, which is small here.
 */
#include "sdk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#undef CS_LINE_MAX
#define CS_LINE_MAX ((size_t)200)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *stream;
static size_t left, piece;

static ssize_t read_piece(int from, void *to, size_t room)
{
    (void)from;
    size_t n = room < piece ? room : piece;
    n = n < left ? n : left;
    if (n > 0)
        memcpy(to, stream, n);
    stream += n;
    left -= n;
    return (ssize_t)n;
}

#define read read_piece
#include "../../../sdk/c/src/channel.c"
#undef read

static void need(bool right)
{
    if (!right)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    piece = 1 + data[0] + 256 * (size_t)(data[1] & 15);
    stream = data + 2;
    left = size - 2;
    free(buffer);
    buffer = NULL;
    capacity = filled = start = 0;
    /* What a reader that has all of it at once would find. */
    const uint8_t *at = stream, *end = stream + left;
    for (;;) {
        char *line;
        size_t len;
        const uint8_t *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        enum cs_read how = cs_channel_read(&line, &len);
        if (newline == NULL) {
            need(how == CS_READ_END);
            return 0;
        }
        size_t due = (size_t)(newline - at);
        if (due < CS_LINE_MAX) {
            need(how == CS_READ_LINE && len == due && line[len] == '\0' && (len == 0 || memcmp(line, at, len) == 0));
            (void)cs_request_seq(line, len);
        } else {
            need(how == CS_READ_TOO_LONG && len < HEAD_BYTES && line[len] == '\0' && memcmp(line, at, len) == 0);
        }
        at = newline + 1;
    }
}
