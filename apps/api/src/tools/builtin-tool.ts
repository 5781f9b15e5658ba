/** A tool that is part of the platform. Agents refer to it by name. */
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
  /** Whether the method has side effects. */
  acts: boolean;
  /** Returns a JSON value. Throws a `ToolError` with a message for the model. */
  run: (input: Record<string, unknown>, call: BuiltinCall) => Promise<unknown>;
}

/** The caller of a method, and what the method can use. */
export interface BuiltinCall {
  now: Date;
  /** Aborts when the turn stops. */
  signal: AbortSignal;
  spaceId: string;
  userId: string;
  agent: { id: string; name: string };
  /** The configuration of the tool in the space; empty if it has none. */
  configuration: Readonly<Record<string, unknown>>;
  attachments: ToolAttachments;
}

/** The attachments of the session. */
interface ToolAttachments {
  /** Returns null if the session has no such attachment. */
  read(id: string): Promise<{ mime: string; data: Buffer } | null>;
}
