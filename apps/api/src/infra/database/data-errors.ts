/** Whether PostgreSQL rejected a value itself (SQLSTATE class 22), or how it nests (54): it would reject it again. */
export function isDataError(error: unknown): boolean {
  return /^(22|54)...$/.test(sqlStateOf(error));
}

/** Whether PostgreSQL rejected what was to be stored (SQLSTATE classes 22 and 23): a retry cannot succeed. */
export function isRejected(error: unknown): boolean {
  return /^2[23]...$/.test(sqlStateOf(error));
}

function sqlStateOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
