import { Injectable } from '@nestjs/common';
import type { ChangePasswordResponse, ChangePasswordRequest } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { hashPassword, verifyPassword } from '../infra/crypto/passwords.ts';
import { rows } from '../infra/database/rows.ts';
import { invalid } from '../infra/http/app-error.ts';
import { getAccount, toUser } from './users.store.ts';
import { ApiKeysService } from './api-keys.service.ts';
import { revokePersonalKeys } from './api-keys.store.ts';
import { recordAudit } from './audit.ts';
import type { AuditedCall } from './caller.decorator.ts';
import { revokeSessionsOf } from './refresh-sessions.ts';
import { SignInThrottle } from './sign-in-throttle.ts';

/** How many keys the answer shows; GET /api/auth/api-keys goes on by its cursor. */
const KEYS_SHOWN = 200;

/** Changing one's own password. */
@Injectable()
export class PasswordService {
  constructor(
    private readonly database: DataSource,
    private readonly keys: ApiKeysService,
    private readonly throttle: SignInThrottle,
  ) {}

  /** Ends every other sign-in of the person and the API keys that the request names, and returns those left. */
  async change(
    { by, requestId }: AuditedCall,
    { currentPassword, newPassword, revokeApiKeys }: ChangePasswordRequest,
    address: string,
  ): Promise<ChangePasswordResponse> {
    const account = await getAccount(this.database, by.userId);
    await this.throttle.attempt(address, account.email);
    if (!(await verifyPassword(currentPassword, account.passwordHash))) throw wrongPassword();
    await this.throttle.succeeded(account.email);
    // Or a temporary password, which somebody else knows, could be kept.
    if (newPassword.normalize('NFKC') === currentPassword.normalize('NFKC')) {
      throw invalid('newPassword must differ from currentPassword');
    }

    const passwordHash = await hashPassword(newPassword);
    const apiKeys = await this.database.transaction(async (tx) => {
      const [changed] = await rows(
        tx,
        `update platform_user
         set password_hash = $3, password_temporary = false, password_changed_at = clock_timestamp()
         where id = $1 and password_hash = $2 returning id`,
        [by.userId, account.passwordHash, passwordHash],
      );
      if (!changed) throw wrongPassword();
      await revokeSessionsOf(tx, by.userId, by.credential.kind === 'access-token' ? by.credential.id : null);
      const revoked = await revokePersonalKeys(tx, by.userId, revokeApiKeys ?? [], requestId);
      await recordAudit(tx, by, {
        action: 'password.change',
        targetType: 'user',
        targetId: by.userId,
        details: { revokedApiKeys: revoked },
        requestId,
      });
      // Of all spaces, whatever the credential: the caller has just proven to be the person.
      return this.keys.listPersonal(tx, { userId: by.userId, spaceId: null }, { limit: KEYS_SHOWN });
    });
    return { ...toUser(account), apiKeys };
  }
}

const wrongPassword = () => invalid('currentPassword is wrong');
