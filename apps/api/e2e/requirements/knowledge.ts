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
  'knowledge.uploads': {
    source: 'contract §1: General rules; quality.md, Security',
    behavior: 'A body that is no document is a 400 that says what was expected, a larger one a 413',
  },
  'knowledge.extraction': {
    source: 'turns.md, Tools in a turn; issue: Knowledge and web search',
    behavior:
      'Text, Markdown, HTML, and PDF are read in a thread with limited time and memory; a document that cannot be read says why',
  },
  'knowledge.recovery': {
    source: 'quality.md, Process',
    behavior: 'A document whose worker has died is read again, and is FAILED after three attempts',
  },
  'knowledge.search': {
    source: 'turns.md, Tools in a turn',
    behavior:
      'Finds words, and Chinese words inside sentences, best first, by the index, at most topK passages',
  },
  'knowledge.evidence': {
    source: 'turns.md, Tools in a turn; spec: Events',
    behavior:
      'What is found is told as evidence, and precedes the message of the user as one block that is data, not instructions',
  },
  'knowledge.evidence-step': {
    source: 'issue: Tools: OpenAPI import in the browser, calling methods, speech',
    behavior: 'Evidence is a step: a rerun searches nothing, and a replay without frames still shows it',
  },
  'knowledge.evidence-budget': {
    source: 'turns.md, The model and the prompt',
    behavior: 'Evidence counts as context, takes at most a quarter of the window, and never ends a turn',
  },
  'web-search.evidence': {
    source: 'spec: Execute request body; turns.md, Tools in a turn',
    behavior: 'internet: true searches the web; if that is not possible, the evidence says why',
  },
  'web-search.tool': {
    source: 'turns.md, Tools in a turn; spec: Chat request body',
    behavior:
      'web_search is a tool that only reads; disable_web_search removes it, and without a search engine it is not offered',
  },
} as const;
