interface Armed {
  effect: 'throw' | 'kill';
  /** At which hit it takes effect, and only there; 0: at every hit. */
  at: number;
  /** Takes effect only for this id; null: for all. */
  subject: string | null;
  hits: number;
}

const FORMAT = /^([\w.-]+)(?::(throw|kill))?(?:@(\d+))?(?:=(.+))?$/;

/** The armed failpoints, set by PLATFORM_FAILPOINTS or by a test. */
const armed = new Map<string, Armed>();

/**
 * Arms failpoints, each as `name[:throw|kill][@hit][=subject]`: `events.recorded:kill@3` ends the process like SIGKILL at the
 * third hit, `events.matched:kill=<id>` at the first hit for that id. Default: throw at every hit.
 */
export function armFailpoints(specs: Iterable<string>): void {
  for (const spec of specs) {
    const [, name, effect = 'throw', at = '0', subject = null] = FORMAT.exec(spec) ?? [];
    if (name === undefined) throw new Error(`${spec} is not a failpoint: name[:throw|kill][@hit][=subject]`);
    armed.set(name, { effect: effect as Armed['effect'], at: Number(at), subject, hits: 0 });
  }
}

export function disarmFailpoints(): void {
  armed.clear();
}

/** Throws, or ends the process, if the failpoint of that name is armed; does nothing otherwise. `subject`: the row in hand. */
export function failpoint(name: string, subject?: string): void {
  const point = armed.size > 0 ? armed.get(name) : undefined;
  if (point === undefined || (point.subject !== null && point.subject !== subject)) return;
  point.hits += 1;
  if (point.at > 0 && point.hits !== point.at) return;
  // SIGKILL to itself is delivered before the call returns.
  if (point.effect === 'kill') process.kill(process.pid, 'SIGKILL');
  throw new Error(`Failpoint ${name}`);
}
