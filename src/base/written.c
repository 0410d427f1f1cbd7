#include "base/written.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/try.h"

netdp_status netdp_i_written_begin(netdp_i_written *written, netdp_error *error)
{
    written->out = open_memstream(&written->text, &written->bytes);
    return written->out != NULL ? NETDP_OK : netdp_i_no_memory(error);
}

netdp_status netdp_i_written_end(netdp_i_written *written, netdp_error *error)
{
    const bool failed = ferror(written->out) != 0;
    /* Where there is no memory for the last of it glibc says nothing and has no text. */
    if (fclose(GIVE(written->out)) != 0 || failed || written->text == NULL)
        return netdp_i_no_memory(error);
    return NETDP_OK;
}

void netdp_i_written_clear(netdp_i_written *written)
{
    if (written->out != NULL)
        fclose(written->out);
    free(written->text);
    *written = (netdp_i_written){0};
}
