/** A tool that the platform brings itself; an agent lists it by its name. */
export interface BuiltinTool {
  /** Also its id. */
  name: string;
  methods: BuiltinMethod[];
}

interface BuiltinMethod {
  name: string;
  description: string;
  /** JSON Schema of the input. */
  inputSchema: Record<string, unknown>;
  /** Has effects. */
  acts: boolean;
  /** Answers a JSON value; throws a `ToolError` with what the model may be told. */
  run: (input: Record<string, unknown>, call: BuiltinCall) => Promise<unknown>;
}

/** For whom a method runs, and what it may use. */
export interface BuiltinCall {
  now: Date;
  /** Aborts when the turn is stopped: nobody waits for the result any more. */
  signal: AbortSignal;
  spaceId: string;
  userId: string;
  agent: { id: string; name: string };
  /** What the space has set up for the tool; empty where there is nothing to set up. */
  configuration: Readonly<Record<string, unknown>>;
  attachments: ToolAttachments;
}

/** What was sent or made in the session of the call. */
interface ToolAttachments {
  /** Null where the session has none of that id. */
  read(id: string): Promise<{ mime: string; data: Buffer } | null>;
}
