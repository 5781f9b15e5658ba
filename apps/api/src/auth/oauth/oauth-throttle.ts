import type { Sql } from '../../infra/database/rows.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { formatPolicy, formatRoom, type UnknownCaller } from '../limits/limit-headers.ts';
import { SharedWindow, type Hit } from '../limits/shared-window.ts';
import { networkOf } from '../limits/sign-in-throttle.ts';

const MINUTE_MS = 60_000;
const PER_ADDRESS = { limit: 10, windowMs: MINUTE_MS };
/** Of all addresses together: what nobody uses is kept for a day. */
const PER_INSTALLATION = { limit: 100, windowMs: MINUTE_MS };
const REGISTRATION_POLICY = `${formatPolicy('address', PER_ADDRESS)}, ${formatPolicy('installation', PER_INSTALLATION)}`;
const PER_PERSON = { limit: 30, windowMs: MINUTE_MS };

/** Limits what clients and people can make the service store and fetch, over all processes. */
export class OAuthThrottle {
  private readonly perAddress: SharedWindow;
  private readonly perInstallation: SharedWindow;
  private readonly perPerson: SharedWindow;

  constructor(sql: Sql, secret: Buffer) {
    this.perAddress = new SharedWindow(sql, secret, PER_ADDRESS);
    this.perInstallation = new SharedWindow(sql, secret, PER_INSTALLATION);
    this.perPerson = new SharedWindow(sql, secret, PER_PERSON);
  }

  /** Counts a registration. Throws RATE_LIMITED. Tells the room of the address: the others are no concern of its callers. */
  async registration({ address, tellLimits }: UnknownCaller): Promise<void> {
    let told = {
      name: 'address',
      ...(await this.perAddress.hit(`registration ${networkOf(address)}`)),
    };
    if (told.wait === null) {
      const installation = await this.perInstallation.hit('registrations');
      if (installation.wait !== null) told = { name: 'installation', ...installation };
    }
    tellLimits({ policy: REGISTRATION_POLICY, limit: formatRoom(told.name, told) });
    refuse(told, 'registrations');
  }

  /** Counts a document that is fetched for a person. Throws RATE_LIMITED. */
  async document(userId: string): Promise<void> {
    refuse(await this.perPerson.hit(`document ${userId}`), 'documents of clients');
  }

  /** Counts a consent. Throws RATE_LIMITED. */
  async consent(userId: string): Promise<void> {
    refuse(await this.perPerson.hit(`consent ${userId}`), 'consents');
  }
}

function refuse({ wait }: Hit, what: string): void {
  if (wait === null) return;
  throw new AppError('RATE_LIMITED', `Too many ${what}; try again later`, { retryAfter: wait });
}
