import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseAllowedHost } from '../../infra/config/allowed-hosts.ts';
import { AddressPolicy } from '../../infra/outgoing/address-policy.ts';
import { isText } from '../../infra/requests/text.ts';

const MAX_LENGTH = 2_000;

/** Decides at which addresses tokens and secrets are exchanged: https, or http at private hosts that the operator allows. */
export class EndpointAddresses {
  private readonly policy: AddressPolicy;

  constructor(allowedPrivateHosts: readonly string[]) {
    const allowed = allowedPrivateHosts.flatMap((text) => parseAllowedHost(text) ?? []);
    this.policy = new AddressPolicy(allowed, false);
  }

  /** Returns what is wrong with the address of an endpoint, or null. */
  problemOf(value: unknown): string | null {
    const url = isText(value) && value.length <= MAX_LENGTH ? URL.parse(value) : null;
    if (url === null || !['http:', 'https:'].includes(url.protocol))
      return `must be an https address of at most ${MAX_LENGTH} characters`;
    if (url.username !== '' || url.password !== '') return 'must not carry credentials';
    if (url.hash !== '') return 'must not have a fragment';
    if (url.protocol === 'http:' && !this.isAllowedPrivate(url))
      return 'must be an https address: http is only for private hosts of PLATFORM_ALLOWED_PRIVATE_HOSTS';
    return null;
  }

  private isAllowedPrivate({ hostname, port }: URL): boolean {
    const host = hostname.replace(/^\[|\]$/g, '');
    const number = Number(port || 80);
    if (isIP(host) === 0) return this.policy.allows(host, '0.0.0.0', number);
    return ipaddr.process(host).range() !== 'unicast' && this.policy.allows(host, host, number);
  }
}

/** The origin of an address, if it is written as one; otherwise null. */
export function originOf(value: unknown): string | null {
  const url = isText(value) ? URL.parse(value) : null;
  return url === null || !['http:', 'https:'].includes(url.protocol) ? null : url.origin;
}
