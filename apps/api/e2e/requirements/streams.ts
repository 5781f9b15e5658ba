export const streams = {
  'stream.frames': {
    source: 'spec: Stream protocol',
    behavior: 'Frames are JSON with type event, a known method, params and seq from 1 on without a gap',
  },
  'stream.wire-names': {
    source: 'spec: Events',
    behavior: 'The eleven product events travel under their hyphenated names',
  },
  'stream.end': {
    source: 'contract §4, streams',
    behavior:
      'stream-ended is the last frame of a segment, once; response-completed tells session, tokens, seconds',
  },
  'stream.reattach': {
    source: 'contract §4, streams',
    behavior:
      'Re-attach gives the same frames byte for byte, during and after, from any instance and any place',
  },
  'stream.reattach.beyond': {
    source: 'contract §4, streams',
    behavior: 'after beyond an ended segment is 409; an unknown turn or segment 404',
  },
  'stream.leave': {
    source: 'contract §4, streams',
    behavior: 'Leaving a stream does not cancel the turn',
  },
  'stream.most': {
    source: 'contract §1',
    behavior:
      'A user has at most PLATFORM_MAX_OPEN_STREAMS streams open, 200 by default; one more is 429 and starts nothing',
  },
  'stream.takeover': {
    source: 'turns.md, the log',
    behavior: 'Readers of a stream whose writer lost its claim see what its new writer adds',
  },
  'stream.forgotten': {
    source: 'contract §4, streams',
    behavior:
      'Without its log a turn is told from the history when started again, runs nothing; re-attach is 404',
  },
  'stream.heartbeat': {
    source: 'contract §4, streams',
    behavior: 'A comment every 10 s, from before the first token, without seq',
  },
  'stream.unreadable': {
    source: 'turns.md, the log',
    behavior: 'Where the log cannot be read the answer ends without stream-ended, and a re-attach goes on',
  },
  'stream.slow-reader': {
    source: 'turns.md, the log',
    behavior: 'A reader that does not read costs no memory and holds up nobody',
  },
  'stream.nul': {
    source: 'issue of U+0000 in PostgreSQL text',
    behavior: 'An answer with U+0000 is stored and streamed and does not fail its neighbours',
  },
  'stream.langgraph': {
    source: 'turns.md, frames',
    behavior: 'LangGraph’s own MessageAssembler assembles the messages frames',
  },
} as const;
