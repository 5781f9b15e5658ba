import type { ToolAuth } from '@platform/contracts';
import type { ReactNode } from 'react';

/** Authentication as a form edits it. The secret has one field, whatever it is called in a request. */
export interface AuthValues {
  type: ToolAuth['type'];
  secret?: string | undefined;
  [field: string]: string | undefined;
}

/** What the console knows about a kind of authentication. Its name is in the texts: `toolPages.authTypes`. */
export interface AuthDescriptor<A extends ToolAuth = ToolAuth> {
  kind: A['type'];
  /** The name of its secret; null if it has none. */
  secretLabel: `toolPages.secrets.${Exclude<ToolAuth['type'], 'none' | 'connection'>}` | null;
  /** Returns the fields of a stored authentication, without its secret. */
  toValues(auth: A): Omit<AuthValues, 'type'>;
  /** Returns the authentication for a request. No secret keeps the stored one. */
  toAuth(values: AuthValues, secret: string | undefined): A;
  /** The fields other than the secret, under `auth` in the form around them. */
  Fields(): ReactNode;
}

/** The descriptor of a kind of authentication. */
export type AuthKind<Type extends ToolAuth['type']> = AuthDescriptor<Extract<ToolAuth, { type: Type }>>;
