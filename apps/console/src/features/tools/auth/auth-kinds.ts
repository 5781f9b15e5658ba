import type { ToolAuth } from '@platform/contracts';
import { apiKeyAuth } from './api-key.tsx';
import type { AuthDescriptor } from './auth-kind.ts';
import { basicAuth } from './basic.tsx';
import { bearerAuth } from './bearer.ts';
import { connectionAuth } from './connection.tsx';
import { headerAuth } from './header.tsx';
import { noAuth } from './none.ts';

/** All kinds of authentication, in the order in which they are offered. */
export const AUTH_KINDS: Record<ToolAuth['type'], AuthDescriptor> = {
  none: noAuth,
  apiKey: apiKeyAuth,
  bearer: bearerAuth,
  basic: basicAuth,
  header: headerAuth,
  connection: connectionAuth,
};
