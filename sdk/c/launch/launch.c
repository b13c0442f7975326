/* SPDX-License-Identifier: Apache-2.0
 *
 * launch CPU OUTPUT ERRORS [NAME=VALUE ...] -- COMMAND [ARGUMENT ...]
 *
 * Runs a command once and prints what it took: `WALL_NS USER_US SYSTEM_US MAX_RSS_KIB exited|signalled NUMBER`. CPU:
 * the one to run on, or `-`. OUTPUT and ERRORS: files for what it prints. The names and values are all of its
 * environment.
 *
 * A program of its own because the system counts what was resident in the process that started the command as the
 * command's own, until it has its own memory: started by a large one, every command seems to be as large.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The longest input of the protocol, and what may come with it. */
#define MOST_OUTPUT_BYTES ((rlim_t)257 << 20)

static int failed(const char *what)
{
    fprintf(stderr, "launch: %s: %s\n", what, strerror(errno));
    return 2;
}

/* Where it cannot be pinned the command runs where it may. */
static void pin(const char *cpu)
{
#ifdef __linux__
    cpu_set_t one;
    long number = strtol(cpu, NULL, 10);
    if (cpu[0] == '-' || number < 0 || number >= CPU_SETSIZE)
        return;
    CPU_ZERO(&one);
    CPU_SET((int)number, &one);
    sched_setaffinity(0, sizeof one, &one);
#else
    (void)cpu;
#endif
}

static int file_for(const char *path, int descriptor, int flags, posix_spawn_file_actions_t *actions)
{
    int file = open(path, flags | O_CLOEXEC, 0600);
    return file < 0 ? -1 : posix_spawn_file_actions_adddup2(actions, file, descriptor);
}

static int64_t microseconds(const struct timeval *time)
{
    return (int64_t)time->tv_sec * 1000000 + time->tv_usec;
}

int main(int argc, char **argv)
{
    int at = 4;
    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    if (argc < 4 || at + 1 >= argc) {
        fprintf(stderr, "launch: CPU OUTPUT ERRORS [NAME=VALUE ...] -- COMMAND [ARGUMENT ...]\n");
        return 2;
    }
    argv[at] = NULL;
    char **environment = argv + 4, **command = argv + at + 1;

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    int fresh = O_WRONLY | O_CREAT | O_TRUNC;
    if (file_for("/dev/null", 0, O_RDONLY, &actions) != 0 || file_for(argv[2], 1, fresh, &actions) != 0 ||
        file_for(argv[3], 2, fresh, &actions) != 0)
        return failed("files");
    struct rlimit most = {MOST_OUTPUT_BYTES, MOST_OUTPUT_BYTES};
    setrlimit(RLIMIT_FSIZE, &most);
    pin(argv[1]);

    struct timespec before, after;
    struct rusage used;
    pid_t child;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &before);
    errno = posix_spawn(&child, command[0], &actions, NULL, command, environment);
    if (errno != 0)
        return failed(command[0]);
    while (wait4(child, &status, 0, &used) != child)
        if (errno != EINTR)
            return failed("wait");
    clock_gettime(CLOCK_MONOTONIC, &after);

    int64_t wall = (int64_t)(after.tv_sec - before.tv_sec) * 1000000000 + (after.tv_nsec - before.tv_nsec);
#ifdef __APPLE__
    int64_t resident = (int64_t)used.ru_maxrss / 1024; /* bytes there */
#else
    int64_t resident = used.ru_maxrss;
#endif
    printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %s %d\n", wall, microseconds(&used.ru_utime),
           microseconds(&used.ru_stime), resident, WIFSIGNALED(status) ? "signalled" : "exited",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return 0;
}
