/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a Cortex-M begins: the first words of its memory, what a program is owed before main, and what becomes of one
 * that faults. Interrupts are never switched on: what is counted runs alone.
 */
#include "bare.h"
#include "semihosting.h"

#include <stdlib.h>
#include <string.h>

extern int main(int argc, char **argv);
extern uint32_t cs_bss_begin[], cs_bss_end[], cs_data_begin[], cs_data_end[], cs_data_kept[];
extern uint32_t cs_stack_end[];
extern char cs_heap_begin[];
extern void (*const cs_init_begin[])(void), (*const cs_init_end[])(void);

_Noreturn void cs_reset(void);
_Noreturn void cs_fault(void);
_Noreturn void cs_begin_again(void);
_Noreturn void cs_tell_fault(const uint32_t *frame);
void _fini(void);

/* Reset, NMI, HardFault, MemManage, BusFault, UsageFault, SecureFault; whatever else comes is a fault as well. */
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*handler[15])(void);
} vectors = {
    cs_stack_end,
    {cs_reset, cs_fault, cs_fault, cs_fault, cs_fault, cs_fault, cs_fault, cs_fault, cs_fault, cs_fault, cs_fault,
     cs_fault, cs_fault, cs_fault, cs_fault},
};

/* The C library's exit asks for it. */
void _fini(void)
{
}

static _Noreturn void end(int status)
{
    const volatile uint32_t words[] = {HOST_STOPPED, (uint32_t)status};
    for (;;)
        cs_host(HOST_EXIT_EXTENDED, words);
}

/* Whether the host's command line says that a program begins again after its end. */
static bool told_again(void)
{
    static char line[8];
    const volatile uint32_t words[] = {cs_word(line), sizeof line};
    return cs_host(HOST_COMMAND_LINE, words) == 0 && strcmp(line, "again") == 0;
}

/* With memory as the emulator gives it, all zero: what was done before leaves no trace. */
_Noreturn void cs_stop(int status)
{
    if (status != 0 || cs_input_ended() || !told_again())
        end(status);
    cs_files_close();
    memset(cs_heap_begin, 0, (size_t)(cs_heap_used() - cs_heap_begin));
    cs_begin_again();
}

__attribute__((naked)) void cs_begin_again(void)
{
    __asm__ volatile(".syntax unified\n\t"
                     "ldr r0, =cs_stack_end\n\t"
                     "ldr r1, =cs_ram\n\t"
                     "mov sp, r0\n\t"
                     "movs r2, #0\n\t"
                     "movs r3, #0\n\t"
                     "movs r4, #0\n\t"
                     "movs r5, #0\n"
                     "1:\n\t"
                     "stmia r1!, {r2-r5}\n\t" /* what the stack has is a multiple of it */
                     "stmia r1!, {r2-r5}\n\t"
                     "cmp r1, r0\n\t"
                     "bne 1b\n\t"
                     "ldr r0, =cs_reset\n\t"
                     "bx r0");
}

void cs_reset(void)
{
    static char name[] = "worker", *arguments[] = {name, NULL};
    memcpy(cs_data_begin, cs_data_kept, (size_t)((uint8_t *)cs_data_end - (uint8_t *)cs_data_begin));
    memset(cs_bss_begin, 0, (size_t)((uint8_t *)cs_bss_end - (uint8_t *)cs_bss_begin));
    for (void (*const *init)(void) = cs_init_begin; init != cs_init_end; init++)
        (*init)();
    exit(main(1, arguments));
}

/* The frame that the processor left has the address of what faulted; where the stack itself is at its end there is
 * none, and a second fault stops the processor for good: the asker waits no longer than its patience. */
__attribute__((naked)) void cs_fault(void)
{
    __asm__ volatile("mov r0, sp\n\t"
                     "ldr r1, =cs_stack_end\n\t"
                     "mov sp, r1\n\t"
                     "bl cs_tell_fault");
}

void cs_tell_fault(const uint32_t *frame)
{
    static char text[] = "fault at 0x00000000\n";
    static const char path[] = "/dev/stderr";
    uint32_t at = frame[6];
    for (size_t i = sizeof text - 3; i >= sizeof text - 10; i--, at >>= 4)
        text[i] = "0123456789abcdef"[at & 15];
    const volatile uint32_t open[] = {cs_word(path), HOST_FOR_WRITING, sizeof path - 1};
    const volatile uint32_t words[] = {(uint32_t)cs_host(HOST_OPEN, open), cs_word(text), sizeof text - 1};
    cs_host(HOST_WRITE, words);
    end(70);
}
