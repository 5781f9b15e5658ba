export const access = {
  'access.unauthorized': {
    source: 'spec: Authentication, Errors; contract §1, order of checks',
    behavior:
      'A missing or invalid credential is 401 on every route that is not public, before a body is read',
  },
  'access.api-key': {
    source: 'spec: Authentication, 1; contract §2',
    behavior: 'Authorization: Bearer with an API key is a user in one space; each refusal tells its reason',
  },
  'access.api-key.once': {
    source: 'contract §2',
    behavior: 'A key is shown once, stored as a hash, and listed by its prefix and last use',
  },
  'access.api-key.scopes': {
    source: 'contract §2',
    behavior:
      'An API key does what its scopes allow, within the rights of its owner; a 403 names the scope that is missing',
  },
  'access.api-key.person': {
    source: 'contract §2',
    behavior:
      'An API key creates no key that outlives it, no sign-in, and no password, answers no invitation, and changes no role',
  },
  'access.api-key.own': {
    source: 'contract §2',
    behavior: 'A user sees and ends his own keys alone',
  },
  'access.access-token': {
    source: 'spec: Authentication, 1; contract §2',
    behavior: 'Signing in answers an access token of 15 minutes, the person, the space and the spaces',
  },
  'access.refresh.cookie': {
    source: 'contract §2',
    behavior:
      'The refresh token is an httpOnly, SameSite=Lax cookie of /api/auth, taken with JSON bodies alone',
  },
  'access.refresh.rotation': {
    source: 'contract §2',
    behavior:
      'Each refresh replaces the token; the previous one is good for 30 s more, an older one ends the sign-in',
  },
  'access.refresh.forged': {
    source: 'contract §2',
    behavior: 'A refresh token that was never issued is 401 and changes nothing',
  },
  'access.refresh.space': {
    source: 'contract §2',
    behavior: 'A refresh may switch to another space of the same user, and to no other',
  },
  'access.logout': {
    source: 'contract §2',
    behavior: 'Signing out ends the refresh token and its access tokens at once',
  },
  'access.password': {
    source: 'contract §2',
    behavior: 'A new password needs the present one and ends the other sign-ins',
  },
  'access.password.keys': {
    source: 'contract §2',
    behavior:
      'Changing the password answers the API keys of all spaces, and revokes those that the request names',
  },
  'access.sign-in.throttled': {
    source: 'contract §1; quality: Security',
    behavior: 'Ten sign-ins a minute per address and account, over all processes, then 429 with Retry-After',
  },
  'access.rate-limit': {
    source: 'contract §1',
    behavior:
      '1,200 requests a minute with each API key and each sign-in, and five times as many with all keys, or all sign-ins, of a person, and without a credential from an address; then 429 with Retry-After. Every response to a call with a credential tells the limits, and the room they leave; sign-ins and registrations of clients tell those of their address',
  },
  'access.open-streams': {
    source: 'contract §2',
    behavior:
      'The open streams of a removed member, a revoked key or an ended sign-in end within five seconds',
  },
  'access.removed-member': {
    source: 'contract §2',
    behavior: "A removed member's keys and tokens die at once",
  },
  'access.roles': {
    source: 'contract §2; quality: Security',
    behavior:
      'Every route states who may call it, and refuses everybody else with 403 before the body is judged',
  },
  'access.other-space': {
    source: 'spec: Authentication, 3; contract §1',
    behavior: 'A resource of another space is 403; an id that exists nowhere, or is no UUID, is 404',
  },
  'access.spaces': {
    source: 'contract §2',
    behavior:
      'Anybody makes a space and becomes its ADMIN; under PLATFORM_SPACE_CREATION=admins installation administrators alone',
  },
  'access.members': {
    source: 'contract §2',
    behavior:
      'Installation administrators add people, with a temporary password for new ones; admins change roles and remove',
  },
  'access.installation-admins': {
    source: 'contract §2',
    behavior:
      'People are created by installation administrators alone: the first admin and those they appoint; one always remains',
  },
  'access.invitations': {
    source: 'contract §2',
    behavior:
      'Any other admin invites, alike whether or not there is an account; the person accepts or declines; admins withdraw',
  },
  'access.invitations.limits': {
    source: 'quality: Security',
    behavior: 'A space has at most 200 pending invitations, and one person makes at most 100 an hour',
  },
  'access.temporary-password': {
    source: 'contract §2',
    behavior:
      'A temporary password has to be changed at the first sign-in: every other call is 403 until then',
  },
  'access.members.last-admin': {
    source: 'contract §2',
    behavior: 'The last admin of a space can be neither removed nor demoted: 409',
  },
  'access.lists': {
    source: 'contract §1',
    behavior: 'Lists go in pages of 1 to 200 by an opaque cursor that is bound to the filter',
  },
  'access.audit': {
    source: 'contract §2; quality: Security',
    behavior:
      'Every admin act is written down with actor, target and request, and filtered by actor, action and time',
  },
  'access.audit.tasks': {
    source: 'contract §2; quality: Security',
    behavior:
      'The audit log says who created, changed, and deleted which task, and what changed; who started, canceled, and retried which run; who emitted which test event. It contains no sources, inputs, or payloads',
  },
} as const;
