import { createHash } from 'node:crypto';

/** The keys of an action: see `ActionContext`. */
export interface CallKeys {
  stepKey: string;
  effectKey: string;
}

/** Names the calls that one execution of code makes. */
export class CodeCallKeys {
  private calls = 0;
  private readonly same = new Map<string, number>();

  constructor(private readonly step: CallKeys) {}

  /**
   * The keys of the next call. An effect is named by what is requested, and how often that was requested before: another
   * attempt may make other calls, or make them in another order, and none may be taken for one that it is not.
   */
  next(kind: string, request: string): CallKeys {
    const hash = createHash('sha256').update(`${kind}\0${request}`).digest('base64url');
    const count = (this.same.get(hash) ?? 0) + 1;
    this.same.set(hash, count);
    const { stepKey, effectKey } = this.step;
    return { stepKey: `${stepKey}:${++this.calls}`, effectKey: `${effectKey}:${hash}:${count}` };
  }
}
