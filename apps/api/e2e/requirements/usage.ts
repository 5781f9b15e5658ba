export const usage = {
  'usage.ledger': {
    source: 'contract §8, Ledger; turns: Proof',
    behavior:
      'Entries are grants and charges only and the balance is their sum, also over crashes and parallel calls',
  },
  'usage.unlimited': {
    source: 'contract §8, Ledger',
    behavior: 'Without a grant there is no limit and no hold, only the charge',
  },
  'usage.opening': {
    source: 'contract §8, Ledger',
    behavior:
      'The first grant of an account writes an opening entry that offsets earlier usage: the balance starts at it',
  },
  'usage.once': {
    source: 'contract §8, Ledger; issue: faults',
    behavior: 'A call is charged once, also where the answer to a COMMIT is lost or its process dies',
  },
  'usage.hold': {
    source: 'contract §8, Ledger; spec: Errors',
    behavior:
      'A call may start while balance − open holds > 0 for space and user; else 402 INSUFFICIENT_TOKENS that says whose',
  },
  'usage.settle': {
    source: 'contract §8, Ledger',
    behavior: 'Settling removes the hold and writes one entry in one transaction, once',
  },
  'usage.expired': {
    source: 'contract §8, Ledger',
    behavior: 'An expired hold is settled by the sweeper from what was stored, as estimated',
  },
  'usage.grants': {
    source: 'contract §2 and §8',
    behavior: 'Admins grant whole tokens to a member or to the space, and it is audited',
  },
  'usage.balance': {
    source: 'contract §8',
    behavior:
      "A user sees his own balance and the space's, what is held of them, and whether they have a limit",
  },
  'usage.entries': {
    source: 'contract §2 and §8',
    behavior:
      'A member sees his own entries, an admin those of the space or of one user, filtered and in pages',
  },
  'usage.summary': {
    source: 'contract §8',
    behavior: 'Charges of a window are summed by day, model, agent or user',
  },
} as const;

/** The ledger as turns use it. */
export const ledger = {
  'ledger.same-cost': {
    source: 'issue: usage; spec: token_usage',
    behavior: 'Streamed cost equals non-streamed cost; cached tokens are priced apart',
  },
  'ledger.adds-up': {
    source: 'turns.md, proof',
    behavior:
      'Over random mixes with failures and cancels, the entries equal what the turns used and the balances',
  },
  'ledger.402': {
    source: 'spec: INSUFFICIENT_TOKENS',
    behavior: '402 where the balance of the user or of the space is used up',
  },
  'ledger.mid-turn': {
    source: 'contract §8',
    behavior: 'A balance used up in the middle ends the turn with INSUFFICIENT_TOKENS; text kept and charged',
  },
} as const;
