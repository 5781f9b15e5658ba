export const context = {
  'context.status': {
    source: 'spec: Context status and compaction; contract §4, Context',
    behavior: 'Seven figures: used, remaining, maximum, estimated, compactions, summary status, messages',
  },
  'context.bodies': {
    source: 'spec: Context status and compaction',
    behavior: 'The routes accept an empty JSON body, and none',
  },
  'context.404': {
    source: 'spec: Context status and compaction; contract §4, Context',
    behavior: "An unknown session, another user's, and one without a message are 404",
  },
  'context.409': {
    source: 'spec: Errors; contract §4, Context',
    behavior: 'A pending question, a running turn and a running compaction block compaction and undo',
  },
  'context.503': {
    source: 'spec: Errors; contract §4, Context',
    behavior: 'A model that is not there or fails is 503; all is as before but the summary status',
  },
  'context.compact': {
    source: 'spec: Context status and compaction; turns.md',
    behavior:
      'A summary takes the place of all before the last turn; the next call gets system prompt, summary, items',
  },
  'context.history': {
    source: 'spec: Context status and compaction',
    behavior: 'Compaction and undo leave the messages of the session as they are',
  },
  'context.dry-run': {
    source: 'contract §4',
    behavior: 'dryRun=true changes nothing, asks no model, and tells the sizes that there would be',
  },
  'context.undo': {
    source: 'contract §4; turns.md',
    behavior: 'Undo takes the last summary back, one after the other; without one it is 409',
  },
  'context.charged': {
    source: 'turns.md; contract §8',
    behavior: 'A compaction is held for and charged as `compaction`; without balance it is 402',
  },
  'context.automatic': {
    source: 'turns.md, context and compaction',
    behavior:
      'At 85 % of the window the context is compacted before the call, and context-usage tells the new size',
  },
  'context.pairs': {
    source: 'turns.md, context and compaction',
    behavior: 'No compaction parts a call of a tool from its result',
  },
  'context.too-long': {
    source: 'turns.md, the model and the prompt',
    behavior: 'What does not fit after compaction is error-occurred VALIDATION_ERROR',
  },
  'context.races': {
    source: 'turns.md, context and compaction',
    behavior: 'Of compactions at once one runs; a turn that starts meanwhile sees the old context or the new',
  },
  'context.bounded': {
    source: 'issue: Availability, memory; turns.md, the model and the prompt',
    behavior:
      'A context is read up to the window of its model; media of earlier turns, and results of tools in a turn, up to 16 MB',
  },
  'context.rejected': {
    source: 'issue: Availability, memory',
    behavior: 'Contents that cannot fit the window of the model are a 400 before anything is stored',
  },
  'context.pages': {
    source: 'turns.md, proof',
    behavior: 'What a turn reads is what was said, over failures, re-runs and lost pages',
  },
  'context.cost': {
    source: 'turns.md, proof',
    behavior: 'A turn at place 300 of its session touches at most 1.2 times the rows of one at place 10',
  },
} as const;
