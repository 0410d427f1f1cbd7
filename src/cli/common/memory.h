/* What libraries do where memory runs out, or the machine says no: they end the program. */
#ifndef NETDP_I_CLI_MEMORY_H
#define NETDP_I_CLI_MEMORY_H

/*
 * They end it as other errors do, with one line and the exit code of the environment, and not by
 * SIGABRT with a line on standard output. That choice is a process's own, so that the library does
 * not take it: a program that calls it has FLINT's and GMP's abort, or sets another as this does.
 */
void netdp_i_memory_settle(void);

/* From now on the program ends by itself, and as it says. Until then a library's exit(1) (libgomp without memory for
 * its threads) and abort (GMP with numbers too large, libuv whose own wake-up fails) end with that exit code. */
void netdp_i_memory_done(void);

#endif
