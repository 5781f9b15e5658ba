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
  'lists.text': {
    source: 'contract: Added after the first trials',
    behavior:
      '?text= of agents, tasks, tools, and members finds each word as a part of names, descriptions of agents, and email addresses, literally and in any case, among what the caller may list',
  },
  'lists.sort': {
    source: 'contract: Added after the first trials',
    behavior:
      '?sort= of agents, tasks, tools, and members is by name and by time in both directions; pages omit and repeat nothing that stays, and a cursor of another order or search is 400',
  },
  'lists.sort.private': {
    source: 'contract §2',
    behavior: 'The order by updatedAt tells no member when agents of others were changed',
  },
  'lists.scale': {
    source: 'quality: Performance',
    behavior: 'An index serves each order of agents, tasks, and tools; a search reads only rows of its space',
  },
} as const;
