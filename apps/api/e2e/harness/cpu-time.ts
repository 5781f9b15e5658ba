/**
 * The milliseconds of processor time that this process spends on some work. Unlike the time that passes, they are about
 * the same on a busy machine.
 */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
