/** Names of the places that tests may break on purpose; set by PLATFORM_FAILPOINTS or by a test. */
const armed = new Set<string>();

export function armFailpoints(names: Iterable<string>): void {
  for (const name of names) armed.add(name);
}

export function disarmFailpoints(): void {
  armed.clear();
}

/** Throws where the failpoint of that name is armed; does nothing otherwise. */
export function failpoint(name: string): void {
  if (armed.size > 0 && armed.has(name)) throw new Error(`Failpoint ${name}`);
}
