export const usage = {
  'usage.ledger': {
    source: 'contract §8, Ledger; turns: Proof',
    behavior:
      'Entries are grants, openings, and charges; the balance is their sum, also after crashes and with parallel calls',
  },
  'usage.unlimited': {
    source: 'contract §8, Ledger',
    behavior: 'Without a grant there is no limit and no reservation, only the charge',
  },
  'usage.opening': {
    source: 'contract §8, Ledger',
    behavior:
      'The first grant of an account writes an opening entry that offsets earlier usage: the balance starts at it',
  },
  'usage.once': {
    source: 'contract §8, Ledger; issue: faults',
    behavior: 'A call is charged once, even if the response of a COMMIT is lost or the process dies',
  },
  'usage.reserve': {
    source: 'contract §8, Ledger; spec: Errors',
    behavior:
      'A call can start while balance − open reservations > 0 for space and user; otherwise 402 INSUFFICIENT_TOKENS names the account',
  },
  'usage.charge': {
    source: 'contract §8, Ledger',
    behavior: 'A charge deletes the reservation and writes one entry in one transaction, once',
  },
  'usage.expired': {
    source: 'contract §8, Ledger',
    behavior: 'The sweeper charges an expired reservation from stored figures, marked as estimated',
  },
  'usage.grants': {
    source: 'contract §2 and §8',
    behavior: 'Admins grant tokens to a member or to the space, and the grant is audited',
  },
  'usage.balance': {
    source: 'contract §8',
    behavior:
      'Users see their balance and the balance of the space, what is reserved of each, and whether it has a limit',
  },
  'usage.entries': {
    source: 'contract §2 and §8',
    behavior:
      'Members see their own entries, admins those of the space or of one user, filtered and in pages',
  },
  'usage.summary': {
    source: 'contract §8',
    behavior: 'Charges in a window are summed by day, model, agent, or user',
  },
} as const;

/** The ledger as turns use it. */
export const ledger = {
  'ledger.same-cost': {
    source: 'issue: usage; spec: token_usage',
    behavior: 'Streamed cost equals non-streamed cost; cached tokens are priced separately',
  },
  'ledger.no-price': {
    source: 'contract, after the first trials; spec: token_usage',
    behavior:
      'Entries and sums of models without a price have the cost null, those with a price of 0 have 0; token_usage.cost is a number',
  },
  'ledger.adds-up': {
    source: 'turns.md, proof',
    behavior:
      'Over random mixes with failures and cancels, the entries equal what the turns used and the balances',
  },
  'ledger.402': {
    source: 'spec: INSUFFICIENT_TOKENS',
    behavior: '402 if the balance of the user or of the space is used up',
  },
  'ledger.mid-turn': {
    source: 'contract §8',
    behavior:
      'If the balance is used up during a turn, the turn ends with INSUFFICIENT_TOKENS; its text is kept and charged',
  },
} as const;
