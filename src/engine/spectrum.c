/* Both ends of the spectrum, each process on the rows of its own nodes. */
#include "engine/halo.h"
#include "engine/losses.h"
#include "engine/together.h"
#include "mixing/mixing.h"

/* Where a spectrum is found alone from all of W, each process finds it. */
static netdp_status find_ends(const netdp_mixing *mixing, netdp_spectrum *found, netdp_error *error)
{
    const netdp_rows rows = netdp_mixing_rows(mixing);
    OWNED_BY(netdp_i_halo_free) netdp_i_halo *halo = NULL;
    TRY(netdp_i_mixing_symmetric(mixing, "a spectrum of so many nodes", error));
    TRY(netdp_i_halo_new(rows, &halo, error));
    const netdp_i_others others = netdp_i_halo_others(halo);
    return netdp_i_lanczos_ends_of(rows, &others, &found->second, &found->smallest, error);
}

netdp_status netdp_i_engine_spectrum(const netdp_mixing *mixing, netdp_spectrum *spectrum,
                                     netdp_error *error)
{
    netdp_spectrum found = {0};
    const netdp_rows rows = netdp_mixing_rows(mixing);
    TRY(netdp_i_agree_on(rows, 0, error));
    if (rows.nodes <= NETDP_DENSE_NODES) {
        TRY(netdp_i_agree(netdp_mixing_spectrum(mixing, NETDP_SPECTRAL_DENSE, &found, error),
                          error));
    } else {
        TRY(find_ends(mixing, &found, error));
        netdp_i_spectrum_shape(mixing, &found);
    }
    netdp_i_tell(&found, sizeof found); /* machines may round in their own ways */
    *spectrum = found;
    return NETDP_OK;
}
