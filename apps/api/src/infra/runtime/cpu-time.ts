/** Milliseconds of processor time that this thread has used since `process.threadCpuUsage()` returned `before`. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
