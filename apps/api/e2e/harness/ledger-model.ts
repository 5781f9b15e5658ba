import fc from 'fast-check';

/** One thing that happens to a ledger; users 0 and 1, 2 is the space; `pick` chooses one of the actor's holds. */
export type LedgerStep =
  | { kind: 'grant'; who: number; tokens: number }
  | { kind: 'hold'; who: number; tokens: number }
  | { kind: 'charge'; who: number; tokens: number; crash: boolean }
  | { kind: 'settle'; pick: number; tokens: number; crash: boolean }
  | { kind: 'expire'; pick: number; tokens: number };

const who = fc.nat(1);
const pick = fc.nat(50);
const tokens = fc.nat(300);
const crash = fc.integer({ min: 0, max: 4 }).map((n) => n === 0);
export const ledgerStep: fc.Arbitrary<LedgerStep> = fc.oneof(
  fc.record({ kind: fc.constant('grant'), who: fc.nat(2), tokens: fc.integer({ min: 1, max: 500 }) }),
  fc.record({ kind: fc.constant('hold'), who, tokens }),
  fc.record({ kind: fc.constant('charge'), who, tokens, crash }),
  fc.record({ kind: fc.constant('settle'), pick, tokens, crash }),
  fc.record({ kind: fc.constant('expire'), pick, tokens }),
);

/** What the ledger should say, kept in plain numbers; 0 and 1 are users, 2 is the space. */
export class LedgerModel {
  readonly balances = [0, 0, 0];
  readonly granted = [false, false, false];
  readonly holds = new Map<string, { who: number; tokens: number }>();

  charge(who: number, tokens: number): void {
    for (const account of [who, 2]) this.balances[account] = (this.balances[account] ?? 0) - tokens;
  }

  grant(account: number, tokens: number): void {
    this.balances[account] = (this.balances[account] ?? 0) + tokens;
    this.granted[account] = true;
  }

  held(account: number): number {
    const counting = [...this.holds.values()].filter(({ who }) => account === 2 || who === account);
    return counting.reduce((sum, hold) => sum + hold.tokens, 0);
  }

  mayStart(who: number): boolean {
    return [who, 2].every(
      (account) => !this.granted[account] || (this.balances[account] ?? 0) - this.held(account) > 0,
    );
  }

  state(account: number) {
    const [limited = false, balance = 0] = [this.granted[account], this.balances[account]];
    return { limited, balance, held: this.held(account) };
  }
}
