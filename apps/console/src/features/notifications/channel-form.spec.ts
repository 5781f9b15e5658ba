import { expect, test } from '@jest/globals';
import type { NotificationChannel } from '@platform/contracts';
import { createChannelForm, toChannelForm, toCreateRequest, toUpdateRequest } from './channel-form.ts';

const channel: NotificationChannel = {
  id: 'c',
  spaceId: 's',
  name: 'Operations',
  kind: 'feishu',
  url: 'https://open.feishu.cn',
  smtp: null,
  secretConfigured: true,
  events: ['run.failed'],
  minSeverity: 'warning',
  digestMinutes: 15,
  quietHours: { from: '22:00', to: '07:00', timezone: 'UTC' },
  enabled: true,
  createdBy: 'u',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
};

test('an unchanged form changes nothing, and keeps the secrets', () => {
  expect(toUpdateRequest(toChannelForm(channel, 'UTC'))).toEqual({
    name: 'Operations',
    events: ['run.failed'],
    minSeverity: 'warning',
    digestMinutes: 15,
    quietHours: channel.quietHours,
  });
});

test('mail keeps its password, and other kinds have no mail server', () => {
  const smtp = {
    host: 'smtp.example.com',
    port: 25,
    security: 'tls' as const,
    from: 'a@example.com',
    to: ['b@example.com'],
  };
  const mail: NotificationChannel = {
    ...channel,
    kind: 'email',
    url: null,
    quietHours: null,
    smtp: { ...smtp, username: 'ada', passwordConfigured: true },
  };
  const form = toChannelForm(mail, 'UTC');
  expect(toUpdateRequest(form)).toMatchObject({ smtp: { ...smtp, username: 'ada' }, quietHours: null });
  expect(toUpdateRequest(form).smtp).not.toHaveProperty('password');
  expect(toCreateRequest({ ...createChannelForm('UTC'), name: 'Hook', url: 'https://a.example' })).toEqual({
    kind: 'webhook',
    name: 'Hook',
    url: 'https://a.example',
    events: ['run.failed', 'task.failing', 'task.disabled', 'webhook.failing'],
    minSeverity: 'info',
    digestMinutes: 0,
    quietHours: null,
  });
});
