import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { rows } from '../infra/database/rows.ts';
import type { UserPrincipal } from './principal.ts';

/** A caller who lost the right to call is cut off within five seconds. */
const CHECK_MS = 2_500;

/**
 * The streams that are open in this process, and whose they are. A credential is checked when a call begins; here it is
 * checked again as long as the answer goes on, for all streams by one query.
 */
@Injectable()
export class OpenResponses implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(OpenResponses.name);
  private readonly open = new Map<string, { caller: UserPrincipal; answers: Set<Response> }>();
  private timer: NodeJS.Timeout | null = null;
  private checking = false;

  constructor(private readonly database: DataSource) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.check(), CHECK_MS).unref();
  }

  beforeApplicationShutdown(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** Closes the answer's connection should the caller lose the right to it. */
  guard(caller: UserPrincipal, res: Response): void {
    if (res.destroyed) return;
    // An access token names the space for which it was made; the sign-in may have moved on to another.
    const key = `${caller.credential.id} ${caller.spaceId}`;
    const entry = this.open.get(key) ?? { caller, answers: new Set() };
    this.open.set(key, entry);
    entry.answers.add(res);
    res.once('close', () => {
      entry.answers.delete(res);
      if (entry.answers.size === 0 && this.open.get(key) === entry) this.open.delete(key);
    });
  }

  private async check(): Promise<void> {
    if (this.checking || this.open.size === 0) return;
    this.checking = true;
    try {
      for (const key of await this.revoked([...this.open]))
        for (const res of this.open.get(key)?.answers ?? []) res.destroy();
    } catch (error) {
      this.logger.warn({ err: error }, 'The callers of open streams could not be checked; trying again');
    } finally {
      this.checking = false;
    }
  }

  private async revoked(open: [string, { caller: UserPrincipal }][]): Promise<string[]> {
    const found = await rows<{ key: string }>(
      this.database,
      `select c.key from unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[]) as c(key, credential, space, person)
       where not exists (
           select from membership m where m.space_id = c.space and m.user_id = c.person and m.removed_at is null
         ) or not exists (
           select from api_key k where k.id = c.credential and k.revoked_at is null
             and coalesce(k.expires_at > clock_timestamp(), true)
           union all
           select from refresh_session s where s.id = c.credential and s.revoked_at is null
         )`,
      [
        open.map(([key]) => key),
        open.map(([, { caller }]) => caller.credential.id),
        open.map(([, { caller }]) => caller.spaceId),
        open.map(([, { caller }]) => caller.userId),
      ],
    );
    return found.map(({ key }) => key);
  }
}
