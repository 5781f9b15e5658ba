/** What a space is told, and how. */
export const notifications = {
  'notifications.failure': {
    source: 'workflows.md, notifications',
    behavior:
      'A run that failed is told once, over every channel that listens; nothing is lost or told twice',
  },
  'notifications.facts': {
    source: 'workflows.md, notifications',
    behavior:
      'A question that waits, a balance that runs low, and an event that no longer comes are told once, a question again before it expires',
  },
  'notifications.channels': {
    source: 'workflows.md, notifications',
    behavior:
      'Admins manage channels; secrets are never returned, and go to no server for which they were not entered',
  },
  'notifications.formats': {
    source: 'workflows.md, notifications',
    behavior: 'Each kind of channel receives the message in its own format, signed if it has a secret',
  },
  'notifications.deliveries': {
    source: 'workflows.md, notifications',
    behavior: 'A delivery is stored before it is sent, is tried again, is listed, and can be sent again',
  },
  'notifications.digest': {
    source: 'workflows.md, notifications',
    behavior: 'A digest groups what happens between two messages; in quiet hours nothing is sent',
  },
  'notifications.mail': {
    source: 'workflows.md, notifications',
    behavior:
      'Mail is sent over a mail server that outgoing calls may reach; a refusal is shown with what the server said',
  },
  'notifications.events': {
    source: 'workflows.md, notifications',
    behavior:
      'What is told is an event of the application platform to which tasks subscribe; a failure of such a task does not loop',
  },
} as const;
