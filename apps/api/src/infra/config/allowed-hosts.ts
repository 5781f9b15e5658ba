import ipaddr from 'ipaddr.js';

/** A private destination that outgoing calls can reach: a host name or a range of addresses, on one port or on any. */
export type AllowedHost =
  | { kind: 'host'; host: string; port: number | null }
  | { kind: 'range'; network: ipaddr.IPv4 | ipaddr.IPv6; bits: number; port: number | null };

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

/** Parses `host`, `host:port`, an address (`[v6]:port` with a port), or a CIDR range. Returns null for anything else. */
export function parseAllowedHost(text: string): AllowedHost | null {
  const entry = text.trim().toLowerCase();
  if (entry.includes('/')) {
    if (!ipaddr.isValidCIDR(entry)) return null;
    const [network, bits] = ipaddr.parseCIDR(entry);
    return { kind: 'range', network, bits, port: null };
  }
  if (ipaddr.IPv6.isValid(entry)) return address(entry, null);
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(entry);
  const [, v6, name, digits] = match ?? [];
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  if (v6 !== undefined) return ipaddr.IPv6.isValid(v6) ? address(v6, port) : null;
  if (name === undefined) return null;
  if (ipaddr.IPv4.isValidFourPartDecimal(name)) return address(name, port);
  // The URL parser would read a host of digits only as an IPv4 address.
  return HOST_NAME.test(name) && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(name)
    ? { kind: 'host', host: name, port }
    : null;
}

function address(text: string, port: number | null): AllowedHost {
  const network = ipaddr.process(text);
  return { kind: 'range', network, bits: network.kind() === 'ipv4' ? 32 : 128, port };
}
