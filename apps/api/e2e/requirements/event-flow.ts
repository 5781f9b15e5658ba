/** The way of an event through all parts, and what connects them. */
export const eventFlow = {
  'event-flow.run': {
    source: 'spec: Event bus events, Trigger object; issue 8',
    behavior:
      'An emission is dispatched to the matching subscriptions, and each task runs with the nine keys of the trigger',
  },
  'event-flow.log': {
    source: 'spec: Event bus events, Log',
    behavior:
      'The log lists the envelope with its status, event, payload, and number of matched subscriptions',
  },
  'event-flow.replay': {
    source: 'spec: Reliability rules, 6',
    behavior: 'A replay dispatches one envelope again: a second run with the same trigger',
  },
  'event-flow.key': {
    source: 'spec: Emit an event; Reliability rules, 2',
    behavior: 'An emission with a key that was used before records and fires nothing',
  },
  'event-flow.disabled': {
    source: 'spec: Subscription',
    behavior: 'A disabled subscription is kept and never triggers its task',
  },
  'event-flow.filter': {
    source: 'spec: Filter semantics; contract §6',
    behavior: 'An envelope says why a filter did not match, and a replay fires once the filter is corrected',
  },
  'event-flow.data': {
    source: 'spec: Event bus events, Origin',
    behavior: 'A data write triggers tasks like an emission',
  },
  'event-flow.survival': {
    source: 'spec: Subscription; issue 8',
    behavior:
      'Subscriptions of users fire again after an upgrade, and after an uninstallation and a new installation',
  },
  'causation.header': {
    source: 'design: Loop guard; issue 8',
    behavior: 'A signed X-Platform-Causation makes an emission over HTTP a consequence of its run',
  },
  'causation.loop': {
    source: 'spec: Reliability rules, 4; issue 8',
    behavior: 'A loop through the public API ends: the event that repeats is SKIPPED, with the reason',
  },
  'causation.starts': {
    source: 'design: Loop guard; Everyone in the installation, Replay',
    behavior:
      'A replay or a start that a run requests is one level below the run, and is refused if its chain contains the event or task already, or is too long',
  },
  'causation.forged': {
    source: 'design: Loop guard; quality: Security',
    behavior:
      'A header that is forged, expired, or of another space is ignored; fields of bodies are never trusted',
  },
} as const;
