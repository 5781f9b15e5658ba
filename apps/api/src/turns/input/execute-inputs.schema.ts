/** All other keys are variables of the agent's prompt. */
export class ExecuteInputsDto {
  query?: string | null;
  session_id?: string | null;
  /** If false (the default), the execution reads no history and stores none. */
  memory?: boolean | null;
  /** Whether to search the documents of the space. Default false. */
  context?: boolean | null;
  /** Whether to search the web. Default false. */
  internet?: boolean | null;
  images?: string[] | null;
  audios?: string[] | null;
  [variable: string]: unknown;
}
