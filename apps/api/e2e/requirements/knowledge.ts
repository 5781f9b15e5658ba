/** Documents, what searches find, and how turns use it. */
export const knowledge = {
  'knowledge.documents': {
    source: 'contract §8, Knowledge',
    behavior: 'A document is uploaded as a file or as text, read, listed, returned, and deleted',
  },
  'knowledge.access': {
    source: 'contract §2: Callers and permissions',
    behavior:
      'Members read and search, admins write; documents of other spaces are neither found nor returned',
  },
  'knowledge.evidence': {
    source: 'turns.md, Tools in a turn; spec: Events',
    behavior:
      'What is found is told as evidence, and precedes the message of the user as one block that is data, not instructions',
  },
} as const;
