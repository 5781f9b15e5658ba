import { open, type FileHandle } from 'node:fs/promises';

export interface EmitAnswer {
  /** 0: no response, or a broken one. */
  status: number;
  ms: number;
  envelopeId?: string;
  duplicate?: boolean;
  samePayload?: boolean;
  text?: string;
}

/** One emission as its client knows it: what was sent, and every answer. */
export interface LedgerEntry {
  /** Unique; also in the payload as `n`. */
  n: number;
  application: string;
  event: string;
  key: string | null;
  payload: Record<string, unknown>;
  sentAt: number;
  answers: EmitAnswer[];
  /** Nobody can say who must get it, because the subscriptions changed meanwhile. */
  isUndecided?: boolean;
}

/** What became of an emission, according to its client. */
export function outcomeOf({ answers }: LedgerEntry): 'acknowledged' | 'rejected' | 'unknown' {
  if (answers.some(({ status }) => status >= 200 && status < 300)) return 'acknowledged';
  // 503 and a lost response mean "may have been recorded".
  const refused = answers.length > 0 && answers.every(({ status }) => status >= 400 && status < 500);
  return refused ? 'rejected' : 'unknown';
}

/** The ledger of the clients, also in a file: an entry is on disk before its emission is sent. */
export class Ledger {
  readonly entries: LedgerEntry[] = [];
  private lines: string[] = [];
  private flushing: Promise<void> | null = null;

  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
  ) {}

  static async create(path: string): Promise<Ledger> {
    return new Ledger(path, await open(path, 'a'));
  }

  async add(entry: Omit<LedgerEntry, 'n' | 'sentAt' | 'answers'>): Promise<LedgerEntry> {
    const n = this.entries.length + 1;
    const added = { ...entry, n, payload: { ...entry.payload, n }, sentAt: Date.now(), answers: [] };
    this.entries.push(added);
    await this.write({ n, key: entry.key, sentAt: added.sentAt, payload: added.payload });
    return added;
  }

  async answer(entry: LedgerEntry, answer: EmitAnswer): Promise<void> {
    entry.answers.push(answer);
    await this.write({ n: entry.n, answer });
  }

  get acknowledged(): LedgerEntry[] {
    return this.entries.filter((entry) => outcomeOf(entry) === 'acknowledged');
  }

  async close(): Promise<void> {
    await this.flushing;
    await this.file.close();
  }

  /** Lines that come during a sync share the next one. */
  private async write(line: object): Promise<void> {
    this.lines.push(`${JSON.stringify(line)}\n`);
    while (this.flushing !== null) await this.flushing;
    if (this.lines.length === 0) return;
    const text = this.lines.splice(0).join('');
    this.flushing = (async () => {
      await this.file.write(text);
      await this.file.datasync();
    })();
    await this.flushing;
    this.flushing = null;
  }
}
