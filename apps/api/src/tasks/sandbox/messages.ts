/** What a sandbox process may use for one execution. */
export interface SandboxLimits {
  /** Of the heap of the code. */
  memoryBytes: number;
  /** Of its stack. */
  stackBytes: number;
  /** Processor time, over all slices of an execution. */
  cpuMs: number;
  /** How long a slice can last, and how long a process lives without a message from its worker. */
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
}

/** From the worker to a sandbox process. Every message but `ping` opens a slice: the process runs code until it waits. */
export type WorkerMessage =
  | { type: 'ping' }
  | { type: 'start'; source: string; context: string }
  | { type: 'result'; id: number; json: string }
  | { type: 'error'; id: number; error: CallError };

/** From a sandbox process to the worker. A slice ends with `waiting`, `done`, `stuck`, or `failed`. */
export type SandboxMessage =
  | { type: 'ready' }
  | { type: 'log'; lines: string[] }
  | { type: 'call'; id: number; action: string; json: string }
  | { type: 'waiting' }
  | ExecutionEnd;

/** The memory of the execution is free, and the process can take the next one; with `isLast`, it ends instead. */
type ExecutionEnd = { isLast: boolean } & (
  | { type: 'done'; json: string | null }
  /** The code waits, but not for a call. */
  | { type: 'stuck' }
  | { type: 'failed'; failure: CodeFailure }
);
