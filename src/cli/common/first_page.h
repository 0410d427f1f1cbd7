/*
 * The help page of a command that has more options than a screen has lines: what a first call needs, on 24
 * lines of 80 characters. --help all prints the whole.
 */
#ifndef NETDP_I_FIRST_PAGE_H
#define NETDP_I_FIRST_PAGE_H

#include "cli/common/command.h"

enum { NETDP_I_SCREEN_LINES = 24, NETDP_I_SCREEN_COLUMNS = 80 };

/* Lines of a screen that a text takes. */
int netdp_i_screen_lines(const char *text);

/* Words in lines of a screen: the first goes on in column `at`, the others begin in column `indent`. Returns
 * the lines that were begun. */
int netdp_i_print_wrapped(FILE *stream, const char *text, int at, int indent);

/* What a command answers, as many of its sentences as `most` lines hold and at least the first; a text with
 * columns as it is. Returns the lines. */
int netdp_i_print_what(FILE *stream, const char *what, int most);

/* What the command answers, its usage, the options that must be given or that its examples give, and as many
 * examples as there is room for; `options` are all that it takes. */
void netdp_i_print_first_page(const netdp_i_usage *usage, const netdp_i_option *options,
                              size_t count);

#endif
