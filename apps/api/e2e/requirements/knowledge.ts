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
      'Text, Markdown, HTML, and PDF are read with limited time and memory; a document that cannot be read says why',
  },
  'knowledge.extraction-process': {
    source: 'knowledge.md, Files; issue: Real documents, real files, plain questions',
    behavior:
      'Documents are read in processes of their own: one that ends its process is FAILED with the reason, and neither the service nor another document is affected',
  },
  'knowledge.recovery': {
    source: 'quality.md, Process',
    behavior: 'A document whose worker has died is read again, and is FAILED after three attempts',
  },
  'knowledge.fair': {
    source: 'quality.md, Process',
    behavior:
      'Spaces take turns in having their documents read: many documents of one keep no other waiting, and a space alone has all places',
  },
  'knowledge.search': {
    source: 'turns.md, Tools in a turn',
    behavior:
      'Finds words, and Chinese words inside sentences, best first, by the index, at most topK passages',
  },
  'knowledge.words': {
    source: 'knowledge.md, Words, better',
    behavior:
      'Same words, other forms, typos, and traditional characters find their passage among the first three in 95 of 100 cases; ordinary questions find theirs',
  },
  'knowledge.terms': {
    source: 'knowledge.md, Words, better',
    behavior:
      'Documents with terms of an earlier version are indexed again in the background; until then, what they have is found',
  },
  'knowledge.closest': {
    source: 'knowledge.md, Words, better',
    behavior: 'If nothing matches, the closest passages are returned, and marked as such everywhere',
  },
  'knowledge.files': {
    source: 'knowledge.md, Files',
    behavior: 'The text of docx, xlsx, pptx, epub, and rtf files is read',
  },
  'knowledge.hostile': {
    source: 'knowledge.md, Files; issue: Real documents, real files, plain questions',
    behavior:
      'Archives and documents that unpack, nest, or repeat without end are refused with the reason, in bounded memory and time',
  },
  'knowledge.encodings': {
    source: 'knowledge.md, Files',
    behavior:
      'Text that is not UTF-8 is read as GB18030, Big5, Shift JIS, or Windows-1252, and the document says which',
  },
  'knowledge.archives': {
    source: 'knowledge.md, Files',
    behavior:
      'The files of a zip archive become documents, all or none; what is no document is skipped with the reason',
  },
  'knowledge.sources': {
    source: 'knowledge.md, Files; issue: Real documents, real files, plain questions',
    behavior:
      'A source is a page or a sitemap whose pages become documents; it is listed, changed, fetched on demand and on its schedule, and deleted with or without them',
  },
  'knowledge.source-changes': {
    source: 'knowledge.md, Files',
    behavior:
      'What has not changed is not read again, a changed page replaces its document once it has been read, and a page that is gone loses it after the next complete fetch; a failed fetch loses nothing',
  },
  'knowledge.source-limits': {
    source: 'quality.md, Security',
    behavior:
      'Foreign hosts, loops, bombs, and pages beyond the limits are left out with the reason; private addresses are not reached, also by redirects',
  },
  'knowledge.source-manners': {
    source: 'knowledge.md, Files',
    behavior:
      'A host has one request at a time, with the pause that it asks for; its robots.txt and Retry-After are honored, and spaces take turns',
  },
  'knowledge.source-recovery': {
    source: 'quality.md, Process',
    behavior: 'When processes die during a fetch, every page has one document in the end',
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
  'knowledge.meaning': {
    source: 'knowledge.md, layer 2',
    behavior:
      'With an embedding model of its catalog, a space finds passages by meaning; documents that come later, too',
  },
  'knowledge.fusion': {
    source: 'knowledge.md, layer 3 and Verification',
    behavior: 'Words and meaning merged find more of the question set than either of them',
  },
  'knowledge.meaning-charges': {
    source: 'knowledge.md, layer 2; contract §8, Ledger',
    behavior:
      'Calls for vectors are reserved and charged once: passages to who chose the model, queries to who asks',
  },
  'knowledge.meaning-fallback': {
    source: 'knowledge.md, layer 3',
    behavior: 'If the embedding model fails or is slow, the words alone answer, and the result says so',
  },
  'knowledge.meaning-deletion': {
    source: 'knowledge.md, layer 2',
    behavior: 'The vectors of a document are deleted with it',
  },
  'knowledge.meaning-storage': {
    source: 'knowledge.md, layer 2',
    behavior: 'The storage of a space counts the bytes of its vectors',
  },
  'knowledge.meaning-versions': {
    source: 'knowledge.md, layer 2',
    behavior:
      'Another model or dimension is another version: the one before serves until it is complete, and is then removed',
  },
  'knowledge.meaning-fair': {
    source: 'quality.md, Process',
    behavior: 'A space whose server does not respond keeps no other space from having its vectors made',
  },
  'knowledge.meaning-poison': {
    source: 'quality.md, Process',
    behavior: 'A passage that the model refuses is left out, and stops no other one',
  },
  'knowledge.meaning-recovery': {
    source: 'quality.md, Process; knowledge.md, layer 2',
    behavior: 'When a process dies while vectors are made, every passage has one vector in the end',
  },
  'knowledge.settings': {
    source: 'knowledge.md, layers 2 and 3; contract §2: Callers and permissions',
    behavior:
      'Admins choose the models for embeddings and ranking, of the right kind; members read what was chosen',
  },
  'knowledge.rewriting': {
    source: 'knowledge.md, layer 3',
    behavior:
      'An execution with context: true rewrites its question by one short call of its model, only if the space allows it; the trace shows the terms, the ledger the call',
  },
  'knowledge.rerank': {
    source: 'knowledge.md, layer 3',
    behavior:
      'A model in the form of Cohere and Jina ranks what was found again; when it fails, the order stays',
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
