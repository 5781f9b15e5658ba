/** A tool that the platform brings itself; an agent lists it by its name. */
export interface BuiltinTool {
  /** Also its id. */
  name: string;
  methods: BuiltinMethod[];
}

export interface BuiltinMethod {
  name: string;
  description: string;
  /** JSON Schema of the input. */
  inputSchema: Record<string, unknown>;
  /** Has effects. */
  acts: boolean;
  /** Answers a JSON value; throws an `Error` whose message may be told to the model. */
  run: (input: Record<string, unknown>, now: Date) => Promise<unknown>;
}
