/** What went wrong in a tool, in words that are made for the model; the message of any other error is for the log alone. */
export class ToolError extends Error {
  override name = 'ToolError';
}
