export const search = {
  'search.finds': {
    source: 'contract: Added after the first trials',
    behavior:
      'GET /api/search finds agents, tasks, tools, methods, events, applications, documents, members, and own sessions by the first letters of words, also Chinese ones, and anything by its id',
  },
  'search.access': {
    source: 'contract: Added after the first trials',
    behavior:
      'A search finds only what the caller may see, and an API key only what its scopes read; restricted agents never appear, not even as a count',
  },
  'search.scale': {
    source: 'contract: Added after the first trials; quality: Performance',
    behavior: 'A search is served by indexes, and looks at a bounded number of matches',
  },
  'lists.ids': {
    source: 'contract: Added after the first trials',
    behavior:
      '?ids= of agents, tasks, tools, and members returns these on one page, at most 200, if the caller may see them',
  },
} as const;
