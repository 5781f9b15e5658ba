import ipaddr from 'ipaddr.js';
import type { AllowedHost } from '../config/allowed-hosts.ts';

const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');

/** Decides which addresses outgoing calls can reach: public ones, and those that the operator allows. */
export class AddressPolicy {
  constructor(
    private readonly allowed: readonly AllowedHost[],
    private readonly allowLoopback: boolean,
  ) {}

  /** Whether a connection to `address`, which was requested as `host`, is allowed. */
  allows(host: string, address: string, port: number): boolean {
    if (!ipaddr.isValid(address)) return false;
    // IPv4 addresses mapped to IPv6 are checked as IPv4.
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

/** Public unicast. Tunnels to IPv4 and documentation, shared, and reserved ranges are excluded. */
function isPublic(ip: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (ip.range() !== 'unicast') return false;
  return ip.kind() === 'ipv4' || ip.match(...GLOBAL_UNICAST_V6);
}
