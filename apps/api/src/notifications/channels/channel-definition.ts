import type {
  CreateNotificationChannelRequest,
  NotificationChannel,
  NotificationChannelKind,
  UpdateNotificationChannelRequest,
} from '@platform/contracts';
import { invalid, invalidFor } from '../../infra/errors/app-error.ts';
import type { NotificationChannelEntity, SmtpSettings } from './notification-channel.entity.ts';
import { quietHoursProblems } from './quiet-hours.ts';

/** What is stored encrypted. */
export interface ChannelSecrets {
  /** The address of a chat, which lets whoever knows it post there. */
  url: string | null;
  /** Signs the messages of a chat. */
  secret: string | null;
  password: string | null;
}

/** What a channel is, without what the database adds. */
export type ChannelDefinition = Pick<
  NotificationChannelEntity,
  'name' | 'kind' | 'url' | 'smtp' | 'events' | 'minSeverity' | 'digestMinutes' | 'quietHours' | 'enabled'
> & { secrets: ChannelSecrets };

const HAS_SECRET: readonly NotificationChannelKind[] = ['feishu', 'dingtalk'];
const NO_SECRETS: ChannelSecrets = { url: null, secret: null, password: null };

/** Throws VALIDATION_ERROR. */
export function newChannel({ name, kind, ...request }: CreateNotificationChannelRequest): ChannelDefinition {
  if (kind === 'email' && request.smtp == null) throw invalid('smtp is required for email');
  if (kind !== 'email' && request.url == null) throw invalid(`url is required for ${kind}`);
  return changeChannel(
    {
      name,
      kind,
      url: null,
      smtp: null,
      events: [],
      minSeverity: 'info',
      digestMinutes: 0,
      quietHours: null,
      enabled: true,
      secrets: NO_SECRETS,
    },
    request,
  );
}

/** Returns the channel with the given fields changed. Throws VALIDATION_ERROR. */
export function changeChannel(
  current: ChannelDefinition,
  change: UpdateNotificationChannelRequest,
): ChannelDefinition {
  const { kind, secrets } = current;
  const { secret, quietHours = current.quietHours } = change;
  const url = change.url ?? undefined;
  const smtp = change.smtp ?? undefined;
  const problems = [
    ...(url !== undefined && kind === 'email' ? ['url is not a field of email'] : []),
    ...(smtp !== undefined && kind !== 'email' ? [`smtp is not a field of ${kind}`] : []),
    ...(secret != null && !HAS_SECRET.includes(kind) ? [`secret is not a field of ${kind}`] : []),
    ...(quietHours === null ? [] : quietHoursProblems(quietHours)),
    ...(url === undefined ? [] : urlProblems(url)),
  ];
  if (problems.length > 0) throw invalidFor(problems);
  const next: ChannelDefinition = {
    ...current,
    name: change.name ?? current.name,
    events: [...new Set(change.events ?? current.events)],
    minSeverity: change.minSeverity ?? current.minSeverity,
    digestMinutes: change.digestMinutes ?? current.digestMinutes,
    quietHours,
    enabled: change.enabled ?? current.enabled,
    secrets: { ...secrets, ...(secret !== undefined && { secret }) },
  };
  if (url !== undefined) Object.assign(next, placed(kind, url, next.secrets));
  if (smtp !== undefined) Object.assign(next, withMailServer(current, smtp, next.secrets));
  return next;
}

export function toChannel(channel: NotificationChannelEntity, secrets: ChannelSecrets): NotificationChannel {
  const { id, spaceId, name, kind, url, smtp, events, minSeverity, digestMinutes, quietHours } = channel;
  return {
    id,
    spaceId,
    name,
    kind,
    url,
    secretConfigured: secrets.secret !== null,
    smtp: smtp && { ...smtp, passwordConfigured: secrets.password !== null },
    events,
    minSeverity,
    digestMinutes,
    quietHours,
    enabled: channel.enabled,
    createdBy: channel.createdBy,
    createdAt: channel.createdAt.toISOString(),
    updatedAt: channel.updatedAt.toISOString(),
  };
}

function urlProblems(text: string): string[] {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return ['url must be an http: or https: URL without credentials'];
  return [];
}

/** The path and the query of a chat's address are its key. */
function placed(kind: NotificationChannelKind, url: string, secrets: ChannelSecrets) {
  return kind === 'webhook' ? { url } : { url: new URL(url).origin, secrets: { ...secrets, url } };
}

/** A stored password is never sent to a server for which nobody has entered it. */
function withMailServer(
  current: ChannelDefinition,
  { password, ...given }: NonNullable<UpdateNotificationChannelRequest['smtp']>,
  secrets: ChannelSecrets,
): Pick<ChannelDefinition, 'smtp' | 'secrets'> {
  const { host, port, from, to, username = null } = given;
  const security = given.security ?? 'starttls';
  if (!/^[\w.:-]+$/.test(host)) throw invalid('smtp.host must be the name or address of a mail server');
  const smtp: SmtpSettings = {
    host: host.toLowerCase(),
    port,
    security,
    username,
    from,
    to: [...new Set(to)],
  };
  const isSame =
    current.smtp !== null &&
    (['host', 'port', 'security', 'username'] as const).every(
      (field) => current.smtp?.[field] === smtp[field],
    );
  const kept = password ?? (isSame ? secrets.password : null);
  if (username !== null && kept === null)
    throw invalid('smtp.password is required with a username, and again with another server or username');
  return { smtp, secrets: { ...secrets, password: username === null ? null : kept } };
}
