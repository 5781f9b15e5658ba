import type { BuiltinTool } from './builtin-tool.ts';
import { ToolError } from '../calls/tool-error.ts';

/** Returns the date and time in a time zone, which models do not know. */
export const currentTime: BuiltinTool = {
  name: 'current_time',
  description: 'The current date and time',
  kind: 'builtin',
  methods: [
    {
      name: 'now',
      description: 'The current date and time, in UTC or in a time zone',
      acts: false,
      inputSchema: {
        type: 'object',
        properties: {
          timezone: { type: 'string', description: 'IANA name, such as Europe/Berlin; default UTC' },
        },
        additionalProperties: false,
      },
      async run(input, { now }) {
        const timezone = input.timezone ?? 'UTC';
        if (typeof timezone !== 'string' || !isTimeZone(timezone)) {
          throw new ToolError('timezone must be an IANA name, such as Europe/Berlin');
        }
        const local = new Intl.DateTimeFormat('en-GB', {
          timeZone: timezone,
          dateStyle: 'full',
          timeStyle: 'long',
        });
        return { utc: now.toISOString(), timezone, local: local.format(now) };
      },
    },
  ],
};

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
