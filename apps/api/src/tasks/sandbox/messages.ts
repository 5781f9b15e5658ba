/** What a sandbox process may use for one execution. */
export interface SandboxLimits {
  /** Of the heap of the code. */
  memoryBytes: number;
  /** Of its stack. */
  stackBytes: number;
  /** Processor time, over all slices of an execution. */
  cpuMs: number;
  /** How long a slice can last on a machine that is busy with other things. */
  sliceMs: number;
  /** How long a process that runs no code lives without a message from its worker. */
  silenceMs: number;
  /** Of all lines together. */
  logBytes: number;
  /** Of the output, and of each message from and to the code, as JSON. */
  valueBytes: number;
  /** Host calls of one execution, and how many of them can be under way. */
  calls: number;
  openCalls: number;
  /** Of all requests of host calls together, as JSON. */
  callBytes: number;
  /** After how many executions the process is replaced. */
  executions: number;
}

/** Why the code has failed. */
export interface CodeFailure {
  /** `error`: the code threw. `syntax`: it is not JavaScript. `limit`: it used too much; the process ends. */
  kind: 'error' | 'syntax' | 'limit';
  message: string;
  /** Counted from 1; null if the failure has no place in the source. */
  line: number | null;
}

/** An error of a host call, as the code receives it. */
export interface CallError {
  code: string;
  message: string;
  /** What else is known, such as the status and body of a response. */
  [fact: string]: unknown;
}

/** Code that a process is to run. `id` tells the executions of a process apart. */
export interface StartedCode {
  id: number;
  source: string;
  context: string;
  /** Processor time of the code itself, without reading the context, if that is less than the limit of the process. */
  cpuMs?: number;
}

/**
 * From the worker to a sandbox process. Every message but `ping` opens slices: the process runs code until it waits. What is to
 * be started while code waits, or after code that took long, is `returned`.
 */
export type WorkerMessage =
  | { type: 'ping' }
  | { type: 'start'; executions: StartedCode[] }
  | { type: 'result'; execution: number; id: number; json: string }
  | { type: 'error'; execution: number; id: number; error: CallError };

/**
 * From a sandbox process to the worker. A slice ends with `waiting`, `done`, `stuck`, or `failed`. All but `returned` are about
 * the first execution that has not ended, in the order in which they were sent.
 */
export type SandboxMessage =
  | { type: 'ready' }
  | { type: 'log'; lines: string[] }
  | { type: 'call'; id: number; action: string; json: string }
  | { type: 'waiting' }
  /** Executions that have not begun, and never will in this process. */
  | { type: 'returned'; executions: number[] }
  | ExecutionEnd;

/** The memory of the execution is free, and the process can take the next one; with `isLast`, it ends instead. */
type ExecutionEnd = { isLast: boolean } & (
  | { type: 'done'; json: string | null }
  /** The code waits, but not for a call. */
  | { type: 'stuck' }
  | { type: 'failed'; failure: CodeFailure }
);
