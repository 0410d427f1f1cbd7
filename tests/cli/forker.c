/*
 * Preloaded into the command: everything is loaded once, and each line of standard input, the name of a
 * file, starts the command anew in a fork; loading takes longer than most commands of a test. The file
 * holds, each with a zero behind: the folder, where standard output and standard error go, and the
 * arguments. Answered with a line each: what waitpid() says.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*main_function)(int, char **, char **);
typedef int (*start_function)(main_function, int, char **, void (*)(void), void (*)(void),
                              void (*)(void), void *);

static main_function command;

enum { MOST = 1 << 20, WORDS = 1000 };

static void redirect(int number, const char *path, int flags)
{
    const int made = open(path, flags, 0600);
    if (made < 0 || dup2(made, number) != number || (made != number && close(made) != 0))
        _exit(125);
}

/* In the fork: what the file says, then the command. */
static int become(const char *path, char **environment)
{
    static char text[MOST];
    char *word[WORDS + 1] = {0};
    int count = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = file >= 0 ? read(file, text, MOST) : 0;
    if (size <= 0 || size == MOST || close(file) != 0)
        _exit(125);
    for (ssize_t at = 0; at < size && count < WORDS; at += (ssize_t)strlen(text + at) + 1)
        word[count++] = text + at;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (count < 4 || chdir(word[0]) != 0)
        _exit(125);
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    redirect(STDOUT_FILENO, word[1], O_WRONLY | O_CREAT | O_TRUNC);
    redirect(STDERR_FILENO, word[2], O_WRONLY | O_CREAT | O_TRUNC);
    return command(count - 3, word + 3, environment);
}

static int serve(int argc, char **argv, char **environment)
{
    static char path[4096];
    (void)argc, (void)argv;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    FILE *asked = fdopen(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100), "r");
    FILE *said = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100), "w");
    if (asked == NULL || said == NULL)
        return 125;
    setvbuf(asked, NULL, _IONBF, 0); /* a fork that ends would give back what was read ahead */
    while (fgets(path, sizeof path, asked) != NULL) {
        int status = 0;
        path[strcspn(path, "\n")] = '\0';
        const pid_t child = fork();
        if (child == 0) {
            close(fileno(asked));
            close(fileno(said));
            return become(path, environment);
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 125;
        fprintf(said, "%d\n", status);
        fflush(said);
    }
    _exit(0);
}

/* glibc's, which calls main. */
int __libc_start_main(main_function entry, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader)(void), void *stack);
int __libc_start_main(main_function entry, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader)(void), void *stack)
{
    const start_function start = (start_function)dlsym(RTLD_NEXT, "__libc_start_main");
    command = entry;
    unsetenv("LD_PRELOAD");
    return start(serve, argc, argv, init, fini, loader, stack);
}
