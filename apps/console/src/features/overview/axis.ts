/** Returns a round number for the top of an axis: 1, 2, 4, 6, 8, 10, 20, …, never less than the value. */
export function chooseMaximum(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}
