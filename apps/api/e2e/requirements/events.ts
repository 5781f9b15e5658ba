/** The catalog, subscriptions, the log of envelopes, replay, and the summary. */
export const eventManagement = {
  'events.catalog': {
    source: 'spec: Registered event, event bus events; contract §6',
    behavior:
      'The catalog lists the registered events by application, with their payload schemas, to every member',
  },
  'events.catalog.registered-only': {
    source: 'spec: Registered event; contract §6',
    behavior: 'Events come and go with their application; no route creates or edits one',
  },
  'subscriptions.lifecycle': {
    source: 'spec: Subscription; contract §6',
    behavior:
      'A subscription is created, listed by event, application and task, changed and deleted by admins',
  },
  'subscriptions.registered-events': {
    source: 'spec: Subscription; contract §6',
    behavior: 'An event that is not registered at present is a 404',
  },
  'subscriptions.event-tasks': {
    source: 'spec: Subscription; contract §6',
    behavior: 'A task that is not of type EVENT is a 400, and it keeps its type while it is subscribed: 409',
  },
  'subscriptions.own-space': {
    source: 'spec: rule 5, Subscription; contract §6',
    behavior: 'A task of another space is a 403, and the database rejects it too',
  },
  'subscriptions.toggle': {
    source: 'spec: Subscription; contract §6',
    behavior: 'Toggling keeps the subscription with its id, filter and origin',
  },
  'subscriptions.filter': {
    source: 'spec: Subscription; events: filter',
    behavior: 'A wrong filter is a 400 that names the field; null removes a filter',
  },
  'subscriptions.default': {
    source: 'spec: Subscription; events: applications',
    behavior:
      'Applications ship default subscriptions; switch, filter and deletion survive a new installation',
  },
  'subscriptions.survive': {
    source: 'spec: Subscription; contract §6',
    behavior: 'Subscriptions of the user survive uninstall and upgrade, and wait for the application',
  },
  'subscriptions.preview': {
    source: 'contract §6',
    behavior: 'A preview says which of the latest envelopes a filter would match, and which field failed',
  },
} as const;
