import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Response } from 'express';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { OpenStreams } from '../../infra/responses/open-streams.ts';
import { Database } from '../../infra/database/database.ts';
import { listRevokedCallers } from './credentials.store.ts';
import type { UserPrincipal } from '../principals/principal.ts';

/** A caller who loses the right to call is cut off within five seconds. */
const CHECK_MS = 2_500;

/**
 * The streaming responses that are open in this process, and their callers. A credential is checked when a call starts.
 * While the response is open, it is checked periodically, with one query for all responses.
 */
@Injectable()
export class OpenResponsesRegistry implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(OpenResponsesRegistry.name);
  private readonly open = new Map<string, { caller: UserPrincipal; responses: Set<Response> }>();
  private readonly streams = new OpenStreams(this.config.maxOpenStreams);
  private timer: NodeJS.Timeout | null = null;
  private checking = false;

  constructor(
    private readonly database: Database,
    private readonly config: PlatformConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.check(), CHECK_MS).unref();
  }

  beforeApplicationShutdown(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** Admits one more stream of the caller, and watches it. Throws 429 if there are too many. */
  admit(caller: UserPrincipal, res: Response): void {
    this.streams.enter(caller.userId, res);
    this.watch(caller, res);
  }

  /** Closes the connection of the response if the caller loses the right to it. */
  watch(caller: UserPrincipal, res: Response): void {
    if (res.destroyed) return;
    // An access token names its space; the sign-in may since have moved to another space, and the role may have changed.
    const key = `${caller.credential.id} ${caller.spaceId} ${caller.role}`;
    const entry = this.open.get(key) ?? { caller, responses: new Set() };
    this.open.set(key, entry);
    entry.responses.add(res);
    res.once('close', () => {
      entry.responses.delete(res);
      if (entry.responses.size === 0 && this.open.get(key) === entry) this.open.delete(key);
    });
  }

  private async check(): Promise<void> {
    if (this.checking || this.open.size === 0) return;
    this.checking = true;
    const callers = [...this.open].map(([key, { caller }]) => [key, caller] as const);
    try {
      for (const key of await listRevokedCallers(this.database, callers))
        for (const res of this.open.get(key)?.responses ?? []) res.destroy();
    } catch (error) {
      this.logger.warn({ err: error }, 'The callers of open responses could not be checked; will retry');
    } finally {
      this.checking = false;
    }
  }
}
