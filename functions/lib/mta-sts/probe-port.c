#include "functions/lib/mta-sts/probe-port.h"

#include <string.h>

#include "runtime/config/config.h"
#include "runtime/log.h"

enum {
	ACCOUNT_MAX = 63,
};

/* The counts of this process since a server last answered. They span runs, because an installation
 * with few domains has too few servers in one run. */
static struct {
	size_t silent;
	struct eds_silent_networks networks;
	char accounts[EDS_PROBES_ACCOUNTS][ACCOUNT_MAX + 1];
	size_t account_count;
	bool told;
} port;

bool eds_probes_port_is_closed(struct rt_ctx *ctx, size_t accounts)
{
	size_t wanted = accounts < EDS_PROBES_ACCOUNTS ? accounts : EDS_PROBES_ACCOUNTS;

	if (port.silent < EDS_PROBES_SILENT_MAX || port.account_count < wanted ||
		port.networks.count < EDS_PROBES_NETWORKS)
		return false;
	if (!port.told)
		rt_log(ctx, RT_LOG_WARNING,
			"no mail server can be reached from here: none of %zu answered on port %d, "
			"so no domain is shown as ready for mode enforce; open the port for "
			"outgoing connections",
			port.silent, rt_config()->starttls_port);
	port.told = true;
	return true;
}

static struct rt_ip network_of(struct rt_ip ip)
{
	size_t kept = ip.family == AF_INET ? 3 : 6;

	memset(ip.bytes + kept, 0, sizeof ip.bytes - kept);
	return ip;
}

void eds_silent_networks_add(struct eds_silent_networks *networks, const struct rt_ip *ip)
{
	struct rt_ip network = network_of(*ip);
	size_t i = 0;

	while (i < networks->count && !rt_ip_equal(&networks->items[i], &network))
		i++;
	if (i == networks->count && i < EDS_PROBES_NETWORKS)
		networks->items[networks->count++] = network;
}

void eds_probes_port_silent(const char *account, const struct rt_ip *ip)
{
	size_t i = 0;

	port.silent++;
	eds_silent_networks_add(&port.networks, ip);
	while (i < port.account_count && strcmp(port.accounts[i], account) != 0)
		i++;
	if (i == port.account_count && i < EDS_PROBES_ACCOUNTS && strlen(account) <= ACCOUNT_MAX)
		memcpy(port.accounts[port.account_count++], account, strlen(account) + 1);
}

void eds_probes_port_heard(void)
{
	memset(&port, 0, sizeof port);
}
