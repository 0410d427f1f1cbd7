#include "peer/link/address.h"

#include <stddef.h>
#include <string.h>

int netdp_i_port_read(const char *text)
{
    int port = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || port > 65535)
            return -1;
        port = 10 * port + (*at - '0');
    }
    return text[0] == '\0' || (text[0] == '0' && text[1] != '\0') || port > 65535 ? -1 : port;
}

bool netdp_i_address_split(const char *text, char host[NETDP_I_HOST], char port[NETDP_I_PORT])
{
    const char *colon = strrchr(text, ':');
    size_t length = colon != NULL ? (size_t)(colon - text) : 0;
    if (length == 0 || length >= NETDP_I_HOST || strlen(colon + 1) >= NETDP_I_PORT ||
        netdp_i_port_read(colon + 1) < 0)
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
