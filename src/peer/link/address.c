#include "peer/link/address.h"

#include <stddef.h>
#include <string.h>

bool netdp_i_address_split(const char *text, char host[NETDP_I_HOST], char port[NETDP_I_PORT])
{
    const char *colon = strrchr(text, ':');
    size_t length = colon != NULL ? (size_t)(colon - text) : 0;
    if (length == 0 || length >= NETDP_I_HOST || strlen(colon + 1) >= NETDP_I_PORT ||
        colon[1] == '\0')
        return false;
    if (text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    }
    memcpy(host, text, length);
    host[length] = '\0';
    strcpy(port, colon + 1);
    return true;
}

const char *netdp_i_address_relay(const char *text)
{
    static const char mark[] = "relay:";
    const size_t length = sizeof mark - 1;
    return strncmp(text, mark, length) == 0 ? text + length : NULL;
}
