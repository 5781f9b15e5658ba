import type { RequirementId } from './requirements.ts';

/** A test that proves one requirement or several; its title carries their ids. */
export function verifies(
  ids: RequirementId | readonly RequirementId[],
  title: string,
  test: () => Promise<void>,
  timeoutMs?: number,
): void {
  const cited = typeof ids === 'string' ? [ids] : ids;
  it(`${title} [${cited.join(', ')}]`, test, timeoutMs);
}
