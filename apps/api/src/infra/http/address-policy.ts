import ipaddr from 'ipaddr.js';
import type { AllowedHost } from './allowed-hosts.ts';

const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');

/** Which addresses outgoing calls may reach: the public ones, and what the operator lists. */
export class AddressPolicy {
  constructor(
    private readonly allowed: readonly AllowedHost[],
    private readonly allowLoopback: boolean,
  ) {}

  /** Whether a connection to `address`, asked for as `host`, may be made. */
  allows(host: string, address: string, port: number): boolean {
    if (!ipaddr.isValid(address)) return false;
    // Unwraps IPv4 in IPv6, which would otherwise be judged by its wrapping.
    const ip = ipaddr.process(address);
    if (isPublic(ip)) return true;
    if (this.allowLoopback && ip.range() === 'loopback') return true;
    const name = host.toLowerCase().replace(/\.$/, '');
    return this.allowed.some((entry) => {
      if (entry.port !== null && entry.port !== port) return false;
      if (entry.kind === 'host') return entry.host === name;
      return ip.kind() === entry.network.kind() && ip.match(entry.network, entry.bits);
    });
  }
}

/** Public unicast; tunnels to IPv4, documentation, shared and reserved ranges are none of it. */
function isPublic(ip: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (ip.range() !== 'unicast') return false;
  return ip.kind() === 'ipv4' || ip.match(...GLOBAL_UNICAST_V6);
}
