/** What holds while processes die, messaging is away, and hints are lost or repeated; each is tested with the faults. */
export const eventGuarantees = {
  'event.loop': {
    source: 'spec: Event bus; docs: guarantees of the event bus',
    behavior:
      'Loops of events are finite: a recurrence and a chain that is too deep are SKIPPED, with the reason',
  },
} as const;
