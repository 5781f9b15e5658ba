import fc from 'fast-check';

/** One thing that happens to a ledger; users 0 and 1, 2 is the space; `pick` chooses one of the actor's holds. */
export type LedgerStep =
  | { kind: 'grant'; who: number; tokens: number }
  | { kind: 'hold'; who: number; tokens: number }
  | { kind: 'charge'; who: number; tokens: number; crash: boolean }
  | { kind: 'settle'; pick: number; tokens: number; crash: boolean }
  | { kind: 'expire'; pick: number; tokens: number }
  /** The answers to the next commits are lost. */
  | { kind: 'lose'; count: number };

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
  fc.record({ kind: fc.constant('lose'), count: fc.integer({ min: 1, max: 3 }) }),
);

/** What the ledger should say, kept in plain numbers; 0 and 1 are users, 2 is the space. */
export class LedgerModel {
  readonly charged = [0, 0, 0];
  readonly grants = [0, 0, 0];
  /** What was charged before the first grant. */
  readonly openings = [0, 0, 0];
  readonly granted = [false, false, false];
  readonly holds = new Map<string, { who: number; tokens: number }>();

  charge(who: number, tokens: number): void {
    for (const account of [who, 2]) this.charged[account] = (this.charged[account] ?? 0) + tokens;
  }

  grant(account: number, tokens: number): void {
    if (this.granted[account] === false) this.openings[account] = this.charged[account] ?? 0;
    this.grants[account] = (this.grants[account] ?? 0) + tokens;
    this.granted[account] = true;
  }

  balance(account: number): number {
    const [grants = 0, opening = 0, charged = 0] = [this.grants, this.openings, this.charged].map(
      (figures) => figures[account],
    );
    return grants + opening - charged;
  }

  held(account: number): number {
    const counting = [...this.holds.values()].filter(({ who }) => account === 2 || who === account);
    return counting.reduce((sum, hold) => sum + hold.tokens, 0);
  }

  mayStart(who: number): boolean {
    return [who, 2].every(
      (account) => !this.granted[account] || this.balance(account) - this.held(account) > 0,
    );
  }

  state(account: number) {
    const { [account]: limited = false } = this.granted;
    return { limited, balance: this.balance(account), held: this.held(account) };
  }
}
