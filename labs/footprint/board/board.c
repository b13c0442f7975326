/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces a system below a program on a Cortex-M: its entry point, a painted stack, the heap's end, a date, and the
 * few POSIX calls that programs make, over the emulator's host. It is the same object in every step.
 *
 * The host's command line is "SECONDS RESULT TOLD WORD...": the date, the file for the program's output, the file for
 * the memory used ("-": not asked for), and the arguments of main. Standard input is the host's. For a client, it and
 * standard output are the transport.
 */
#include "board.h"
#include "semihosting.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 256, WORDS = 8, OWN_WORDS = 3, FAULT = 70, HOST_FILE = 8 };
static const uint32_t paint = 0xa5a5a5a5;

extern int main(int argc, char **argv);
extern uint32_t board_bss_begin[], board_bss_end[], board_data_begin[], board_data_end[], board_data_kept[];
extern uint32_t board_stack_low[], board_stack_end[];
extern char board_heap_begin[], board_heap_end[];

_Noreturn void board_reset(void);
_Noreturn void board_fault(void);
_Noreturn void board_stop(int status);
void *_sbrk(ptrdiff_t by);
_Noreturn void _exit(int status);

/* Reset, NMI, HardFault and whatever else comes; interrupts are never switched on. */
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*handler[15])(void);
} vectors = {
    board_stack_end,
    {board_reset, board_fault, board_fault, board_fault, board_fault, board_fault, board_fault, board_fault,
     board_fault, board_fault, board_fault, board_fault, board_fault, board_fault, board_fault},
};

static char *heap_end = board_heap_begin, *heap_most = board_heap_begin;
static time_t date;
static const char *result_path;

void board_stop(int status)
{
    const volatile uint32_t words[] = {HOST_STOPPED, (uint32_t)status};
    for (;;)
        cs_host(HOST_EXIT_EXTENDED, words);
}

/* On an empty stack: an overflow left no room on it. */
__attribute__((naked)) void board_fault(void)
{
    __asm__ volatile("ldr r1, =board_stack_end\n\t"
                     "mov sp, r1\n\t"
                     "movs r0, %0\n\t"
                     "bl board_stop" ::"i"(FAULT));
}

/* ---- calls of a program to a system ---- */

void *_sbrk(ptrdiff_t by)
{
    char *before = heap_end;
    if (by > board_heap_end - heap_end || by < board_heap_begin - heap_end) {
        errno = ENOMEM;
        return (void *)-1;
    }
    heap_end += by;
    if (heap_end > heap_most)
        heap_most = heap_end;
    return before;
}

void _exit(int status)
{
    board_stop(status);
}

/* The C library's own version prints the place of the failure, and links all of stdio for it. */
void __assert_func(const char *file, int line, const char *function, const char *condition)
{
    (void)file;
    (void)line;
    (void)function;
    (void)condition;
    board_stop(FAULT);
}

time_t time(time_t *at)
{
    if (at != NULL)
        *at = date;
    return date;
}

static int32_t host_open(const char *path, int how)
{
    const volatile uint32_t words[] = {cs_word(path), (uint32_t)how, strlen(path)};
    return cs_host(HOST_OPEN, words);
}

int open(const char *path, int flags, ...)
{
    int32_t opened = flags == O_RDONLY ? host_open(path, HOST_FOR_READING) : -1;
    return opened < 0 ? -1 : opened + HOST_FILE;
}

static int32_t transferred(int32_t what, int32_t handle, const void *at, size_t len)
{
    const volatile uint32_t words[] = {(uint32_t)handle, cs_word(at), len};
    int32_t missing = cs_host(what, words);
    return missing < 0 || (size_t)missing > len ? -1 : (int32_t)len - missing;
}

_ssize_t read(int file, void *to, size_t len)
{
    static int32_t input = -1;
    if (file >= HOST_FILE)
        return transferred(HOST_READ, file - HOST_FILE, to, len);
    if (input < 0)
        input = host_open("/dev/stdin", HOST_FOR_READING);
    return transferred(HOST_READ, input, to, len);
}

_ssize_t write(int file, const void *from, size_t len)
{
    static int32_t result = -1, transport = -1;
    int32_t *to = file == BOARD_TRANSPORT ? &transport : &result;
    if (*to < 0)
        *to = host_open(file == BOARD_TRANSPORT ? "/dev/stdout" : result_path, HOST_FOR_WRITING);
    return transferred(HOST_WRITE, *to, from, len);
}

ssize_t getrandom(void *to, size_t len, unsigned flags)
{
    static int32_t source = -1;
    (void)flags;
    if (source < 0)
        source = host_open("/dev/urandom", HOST_FOR_READING);
    return transferred(HOST_READ, source, to, len);
}

/* ---- from reset to main, and the memory used ---- */

static int split(char *line, char **words)
{
    int count = 0;
    while (*line != '\0' && count < WORDS) {
        words[count++] = line;
        while (*line != ' ' && *line != '\0')
            line++;
        if (*line == ' ')
            *line++ = '\0';
    }
    return count;
}

static void tell(const char *path, const uint32_t *top)
{
    const uint32_t *at = board_stack_low;
    uint32_t used[2] = {(uint32_t)(heap_most - board_heap_begin), 0};
    while (at < top && *at == paint)
        at++;
    used[1] = (uint32_t)((top - at) * sizeof *at);
    transferred(HOST_WRITE, host_open(path, HOST_FOR_WRITING), used, sizeof used);
}

void board_reset(void)
{
    static char line[LINE], *words[WORDS + 1];
    const volatile uint32_t asked[] = {cs_word(line), sizeof line};
    volatile uint32_t *at;
    uint32_t *top;
    int count, status;

    memcpy(board_data_begin, board_data_kept, (size_t)((char *)board_data_end - (char *)board_data_begin));
    memset(board_bss_begin, 0, (size_t)((char *)board_bss_end - (char *)board_bss_begin));
    cs_host(HOST_COMMAND_LINE, asked);
    count = split(line, words);
    if (count <= OWN_WORDS)
        board_stop(FAULT);
    for (const char *digit = words[0]; *digit != '\0'; digit++)
        date = date * 10 + (*digit - '0');
    result_path = words[1];
    __asm__ volatile("mov %0, sp" : "=r"(top));
    for (at = top; at-- > board_stack_low;)
        *at = paint;
    status = main(count - OWN_WORDS, words + OWN_WORDS);
    if (words[2][0] != '-')
        tell(words[2], top);
    board_stop(status);
}
