import { Injectable } from '@nestjs/common';
import type { ChangePasswordResponse, ChangePasswordRequest } from '@platform/contracts';
import { Database } from '../../infra/database/database.ts';
import { hashPassword, verifyPassword } from '../../infra/crypto/passwords.ts';
import { updateRows } from '../../infra/database/entity-rows.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import { ApiKeysService } from '../api-keys/api-keys.service.ts';
import { revokePersonalKeys } from '../credentials/api-keys.store.ts';
import { recordAudit } from '../audit/audit.ts';
import type { AuditedCall } from '../principals/caller.decorator.ts';
import { revokeSessionsOf } from '../credentials/refresh-sessions.store.ts';
import type { UnknownCaller } from '../limits/limit-headers.ts';
import { SignInThrottle } from '../limits/sign-in-throttle.ts';
import { UserEntity } from '../principals/user.entity.ts';
import { getUser, toUser } from '../principals/users.store.ts';

/** How many keys the response lists; GET /api/auth/api-keys lists all of them. */
const MAX_KEYS = 200;

/** Changes the caller's own password. */
@Injectable()
export class PasswordService {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeysService,
    private readonly throttle: SignInThrottle,
  ) {}

  /** Also ends every other sign-in of the person and the API keys that the request names. Returns the remaining keys. */
  async change(
    { by, requestId }: AuditedCall,
    { currentPassword, newPassword, revokeApiKeys }: ChangePasswordRequest,
    caller: UnknownCaller,
  ): Promise<ChangePasswordResponse> {
    const account = await getUser(this.database.manager, by.userId);
    await this.throttle.attempt(caller, account.email);
    if (!(await verifyPassword(currentPassword, account.passwordHash))) throw wrongPassword();
    await this.throttle.succeeded(account.email);
    // Otherwise a temporary password, which someone else knows, could be kept.
    if (newPassword.normalize('NFKC') === currentPassword.normalize('NFKC')) {
      throw invalid('newPassword must differ from currentPassword');
    }

    const passwordHash = await hashPassword(newPassword);
    const apiKeys = await this.database.transaction(async (tx) => {
      const [changed] = await updateRows(
        tx,
        UserEntity,
        { id: by.userId, passwordHash: account.passwordHash },
        { passwordHash, passwordTemporary: false, passwordChangedAt: () => 'clock_timestamp()' },
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
      // Those of all spaces, even for a call by API key: the caller has just proved to be the person.
      return this.keys.listPersonal(tx, { userId: by.userId, spaceId: null }, { limit: MAX_KEYS });
    });
    return { ...toUser(account), apiKeys };
  }
}

const wrongPassword = () => invalid('currentPassword is wrong');
