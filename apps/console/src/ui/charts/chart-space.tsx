/** Takes the place of a chart that is loaded, with its height. */
export function ChartSpace() {
  return <div className="chart-space" aria-hidden />;
}
