export const agents = {
  'agents.create.required': {
    source: 'spec: Agent; contract §3',
    behavior:
      'name, model and systemPrompt alone make an agent of the caller, with the defaults of the contract',
  },
  'agents.create.strict': {
    source: 'contract §1, §3',
    behavior:
      'Each wrong, unknown or out-of-range field is a 400 that names it; bounds are inclusive; null is absent',
  },
  'agents.variables': {
    source: 'contract §3',
    behavior: 'Variables are the {{names}} of the prompt with what was declared; keys of inputs are reserved',
  },
  'agents.list.accessible-only': {
    source: 'spec: Agent administration; contract §3',
    behavior:
      'accessibleOnly=true lists only agents that the caller may call; anything but true and false is 400',
  },
  'agents.list.owned-only': {
    source: 'console: mine',
    behavior: 'ownedOnly=true lists only agents that the caller owns, also for admins, who see all',
  },
  'agents.list.tool': {
    source: 'console: Used by',
    behavior:
      'toolId lists the agents that have the tool, of those that the caller manages; others are neither listed nor counted, and an index serves it',
  },
  'agents.list.pages': {
    source: 'contract §1',
    behavior: 'The list goes in pages, newest first, by a cursor that is bound to the filter',
  },
  'agents.visibility': {
    source: 'contract §2',
    behavior:
      'Of others a member sees id, name, description, accessScope and accessible; owner and admins see all',
  },
  'agents.manage.roles': {
    source: 'contract §2',
    behavior: 'Owner and admins edit, delete, restore and read versions and access; nobody else does',
  },
  'agents.access.rule': {
    source: 'spec: Authentication, 3; contract §3',
    behavior: 'SPACE: every member calls it; RESTRICTED: the listed users alone, creator and admins included',
  },
  'agents.access.everywhere': {
    source: 'spec: Agent; contract §1, order of checks',
    behavior: 'The access rule is asked on every way in: 404 agent, then 403, before the body is looked at',
  },
  'agents.access.explained': {
    source: 'contract §3',
    behavior: '/access tells who may call the agent and by which rule, and marks ids of no member',
  },
  'agents.ids': {
    source: 'contract §1',
    behavior: 'An agent of another space is 403; an id that exists nowhere or is no UUID is 404',
  },
  'agents.update': {
    source: 'contract §3',
    behavior:
      'PATCH replaces what is given and makes a version; a stale version is 409, one of many at once wins',
  },
  'agents.versions': {
    source: 'contract §3',
    behavior: 'Versions tell what the agent was and by whom; restoring one makes a new version',
  },
  'agents.delete': {
    source: 'contract §1',
    behavior: 'Deleting hides the agent at once from everybody and keeps the row',
  },
  'agents.audit': {
    source: 'quality, security',
    behavior: "An admin's act on somebody else's agent, and every change of a model, is written down",
  },
  'models.offline': {
    source: 'contract §3',
    behavior: 'platform/offline is in every catalog, free, and cannot be changed, deleted or made again',
  },
  'models.fields': {
    source: 'contract §3',
    behavior: 'A model keeps what it is given, with defaults for the rest; PATCH changes what is given alone',
  },
  'models.strict': {
    source: 'contract §1, §3',
    behavior: 'Each wrong field is a 400 that names it; baseUrl is http(s) without credentials',
  },
  'models.name.unique': {
    source: 'contract §3',
    behavior: 'The name is unique in the space among the models that are not deleted; 409 else',
  },
  'models.roles': {
    source: 'contract §2',
    behavior: 'Members see models, admins change and test them; foreign ones are 403, unknown ones 404',
  },
  'models.key.write-only': {
    source: 'contract §3; quality, security',
    behavior: 'The API key is told to nobody, sealed in the database, and gone with its model',
  },
  'models.key.base-url': {
    source: 'contract §3',
    behavior: 'A new baseUrl demands the API key again',
  },
  'models.loopback': {
    source: 'contract §9',
    behavior:
      'Model servers on loopback are reached only if an installation administrator gave their address; for anybody else they look unreachable',
  },
  'models.test': {
    source: 'contract §3',
    behavior:
      'The test asks the model and tells latency or the failure in plain words, without key or address',
  },
  'models.available': {
    source: 'console.md, Second pass',
    behavior:
      'An admin learns which models a server has before a model is saved, or says in plain words why not; the key is stored and repeated nowhere, and that of a saved model goes to its own server alone',
  },
  'models.resolve': {
    source: 'contract §3',
    behavior: 'A model is looked up by name at each call in its own space; an unknown one is 503 naming it',
  },
  'models.standin': {
    source: 'contract §3',
    behavior: 'While an embedded installation has no other model, platform/offline stands in and says so',
  },
  'models.environment': {
    source: 'contract §3',
    behavior:
      'OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL make a model once, which follows a changed key until an admin edits it',
  },
} as const;
