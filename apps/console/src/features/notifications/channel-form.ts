import type {
  CreateNotificationChannelRequest,
  NotificationChannel,
  SmtpOptions,
  UpdateNotificationChannelRequest,
} from '@platform/contracts';

/** The values of the form. They have the names of the request. Secrets are empty unless they are entered. */
export interface ChannelForm {
  name: string;
  kind: NotificationChannel['kind'];
  url?: string | undefined;
  secret?: string | undefined;
  smtp?: SmtpForm | undefined;
  events: NotificationChannel['events'];
  minSeverity: NotificationChannel['minSeverity'];
  digestMinutes: number | null;
  hasQuietHours: boolean;
  quietHours: { from: string; to: string; timezone: string };
}
type SmtpForm = Omit<SmtpOptions, 'password' | 'username'> & { username?: string; password?: string };

/** The chats whose address is a secret. */
export const CHATS: readonly NotificationChannel['kind'][] = ['slack', 'feishu', 'dingtalk', 'wecom'];
/** The kinds that can have a secret of their own. */
export const SIGNED: readonly NotificationChannel['kind'][] = ['feishu', 'dingtalk'];

export const CHANNEL_FIELDS = [
  'name',
  'kind',
  'url',
  'secret',
  ...['host', 'port', 'security', 'username', 'password', 'from', 'to'].map((field) => `smtp.${field}`),
  'events',
  'minSeverity',
  'digestMinutes',
  ...['from', 'to', 'timezone'].map((field) => `quietHours.${field}`),
];

export function createChannelForm(timezone: string): ChannelForm {
  return {
    name: '',
    kind: 'webhook',
    smtp: { host: '', port: 587, security: 'starttls', from: '', to: [] },
    events: ['run.failed', 'task.failing', 'task.disabled', 'webhook.failing'],
    minSeverity: 'info',
    digestMinutes: 0,
    hasQuietHours: false,
    quietHours: { from: '22:00', to: '07:00', timezone },
  };
}

export function toChannelForm(channel: NotificationChannel, timezone: string): ChannelForm {
  const { name, kind, url, smtp, events, minSeverity, digestMinutes, quietHours } = channel;
  const empty = createChannelForm(timezone);
  return {
    name,
    kind,
    // Of a chat, only the origin is known.
    url: CHATS.includes(kind) ? '' : (url ?? ''),
    smtp: smtp === null ? empty.smtp : toSmtpForm(smtp),
    events,
    minSeverity,
    digestMinutes,
    hasQuietHours: quietHours !== null,
    quietHours: quietHours ?? empty.quietHours,
  };
}

function toSmtpForm({
  host,
  port,
  security,
  username,
  from,
  to,
}: NonNullable<NotificationChannel['smtp']>): SmtpForm {
  return { host, port, security, from, to, ...(username !== null && { username }) };
}

/** Returns the request that creates the channel. */
export function toCreateRequest(form: ChannelForm): CreateNotificationChannelRequest {
  return { ...toUpdateRequest(form), kind: form.kind, name: form.name, events: form.events };
}

/** Returns the change. What is secret and was not entered is left out, so that it is kept. */
export function toUpdateRequest(form: ChannelForm): UpdateNotificationChannelRequest {
  const { name, kind, url, secret, smtp, events, minSeverity, digestMinutes } = form;
  return {
    name,
    events,
    minSeverity,
    digestMinutes: digestMinutes ?? 0,
    quietHours: form.hasQuietHours ? form.quietHours : null,
    ...(kind !== 'email' && url && { url }),
    ...(SIGNED.includes(kind) && secret && { secret }),
    ...(kind === 'email' && smtp && { smtp: toSmtp(smtp) }),
  };
}

function toSmtp({ username, password, ...smtp }: SmtpForm): SmtpOptions {
  return {
    ...smtp,
    username: username === undefined || username === '' ? null : username,
    ...(password && { password }),
  };
}
