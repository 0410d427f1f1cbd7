/* The result folder: opened by one process at a time; its files' names and its log. */
#ifndef NETDP_I_FOLDER_H
#define NETDP_I_FOLDER_H

#include "study/study.h"

/*
 * Makes the folder and its parents, and refuses one that holds another study, or into which another
 * process writes. *finished: it has a manifest, which is not checked yet. *lock: for the close, -1
 * where a finished folder is only read.
 */
netdp_status netdp_i_folder_open(const netdp_study *study, const char *folder, bool *finished,
                                 int *lock, netdp_error *error);
void netdp_i_folder_close(const char *folder, int *lock);

/* A line of run.log: the only file with wall time, host, date and thread count. */
void netdp_i_folder_log(const char *folder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
