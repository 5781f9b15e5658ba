import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { PlatformConfig } from '../config/platform-config.ts';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Knows the addresses at which the platform itself is called. */
@Injectable()
export class OwnAddressRegistry {
  constructor(
    private readonly config: PlatformConfig,
    private readonly adapters: HttpAdapterHost,
  ) {}

  /** Whether a call to this address reaches the platform: by its public URL, or on the port on which it listens. */
  includes({ origin, protocol, hostname, port }: URL): boolean {
    if (origin === new URL(this.config.publicUrl).origin) return true;
    if (protocol !== 'http:' || ![...LOOPBACK, this.config.host].includes(hostname)) return false;
    return Number(port || 80) === this.listeningPort();
  }

  /** Null in a process that does not listen. */
  private listeningPort(): number | null {
    const server = this.adapters.httpAdapter.getHttpServer() as {
      address?: () => AddressInfo | string | null;
    };
    const address = server.address?.() ?? null;
    return address === null || typeof address === 'string' ? null : address.port;
  }
}
