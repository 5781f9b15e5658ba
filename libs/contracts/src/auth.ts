import type { Me } from './schemas.ts';

export const ROLES = ['MEMBER', 'ADMIN'] as const;
export type Role = (typeof ROLES)[number];

/** What an API key may do; a key has one or several. */
export const KEY_SCOPES = ['invoke', 'use', 'manage', 'administer'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** What a person can let a client do over MCP. */
export const OAUTH_SCOPES = ['invoke', 'use'] as const satisfies KeyScope[];
export type OAuthScope = (typeof OAUTH_SCOPES)[number];

/** The rights of a user that do not depend on the space. */
export type UserState = Pick<Me, 'passwordTemporary' | 'installationAdmin' | 'canCreateSpaces'>;

/** What the audit log records: `<noun>.<verb>`. */
export const AUDIT_ACTIONS = [
  'agent.update',
  'agent.delete',
  'agent.restore',
  'api-key.create',
  'api-key.revoke',
  'application.install',
  'application.upgrade',
  'application.uninstall',
  'application.rotate-key',
  'application.create-key',
  'application.revoke-key',
  'bulk-replay.create',
  'bulk-replay.stop',
  'bulk-run-action.create',
  'bulk-run-action.stop',
  'connection.connect',
  'connection.revoke',
  'connection.update',
  'connection.use',
  'connection-provider.create',
  'connection-provider.delete',
  'connection-provider.update',
  'envelope.erase-payload',
  'envelope.replay',
  'event.test',
  'installation-admin.appoint',
  'installation-admin.dismiss',
  'invitation.create',
  'invitation.accept',
  'invitation.decline',
  'invitation.withdraw',
  'knowledge.create',
  'knowledge.delete',
  'knowledge.settings',
  'knowledge-source.create',
  'knowledge-source.delete',
  'knowledge-source.fetch',
  'knowledge-source.update',
  'mcp.offers',
  'member.add',
  'member.update',
  'member.remove',
  'model.create',
  'model.update',
  'model.delete',
  'notification-channel.create',
  'notification-channel.delete',
  'notification-channel.test',
  'notification-channel.update',
  'notification-delivery.resend',
  'oauth-grant.create',
  'oauth-grant.revoke',
  'password.change',
  'question.answer',
  'run.start',
  'run.cancel',
  'run.retry',
  'run.test',
  'space.create',
  'storage.set-quotas',
  'subscription.create',
  'subscription.update',
  'subscription.delete',
  'task.create',
  'task.cancel-runs',
  'task.change-owner',
  'task.update',
  'task.delete',
  'tool.create',
  'tool.update',
  'tool.delete',
  'tool.configure',
  'tool.import',
  'tool.add-methods',
  'tool.change-methods',
  'tool.update-method',
  'tool.delete-method',
  'usage.grant',
  'webhook-delivery.retry',
  'webhook-secret.rotate',
  'webhook.test',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
