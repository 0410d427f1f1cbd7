/*
 * Laid before OpenBLAS (LD_PRELOAD): it does not know this processor and falls back to Prescott,
 * unless it is told another core ($NETDP_STUBBORN: even then). Every start is noted in
 * $NETDP_STARTS.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((visibility("default"))) char *openblas_get_corename(void);

char *openblas_get_corename(void)
{
    static char fallen[] = "Prescott";
    char *told = getenv("OPENBLAS_CORETYPE");
    return told != NULL && getenv("NETDP_STUBBORN") == NULL ? told : fallen;
}

__attribute__((constructor)) static void note(void)
{
    const char *path = getenv("NETDP_STARTS");
    const int file = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (file >= 0 && write(file, ".", 1) != 1)
        abort();
    if (file >= 0)
        close(file);
}
