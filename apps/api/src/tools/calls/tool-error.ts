/** An error whose message is written for the model. The messages of other errors are only logged. */
export class ToolError extends Error {
  override name = 'ToolError';
}
