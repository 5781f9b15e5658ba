import { access } from './requirements/access.ts';
import { agents } from './requirements/agents.ts';
import { approvals } from './requirements/approvals.ts';
import { applications } from './requirements/applications.ts';
import { changes } from './requirements/changes.ts';
import { chat } from './requirements/chat.ts';
import { connections } from './requirements/connections.ts';
import { client } from './requirements/client.ts';
import { eventFlow } from './requirements/event-flow.ts';
import { context } from './requirements/context.ts';
import { database } from './requirements/database.ts';
import { eventGuarantees } from './requirements/event-guarantees.ts';
import { emissions, eventManagement } from './requirements/events.ts';
import { interactions } from './requirements/interactions.ts';
import { jobs } from './requirements/jobs.ts';
import { knowledge } from './requirements/knowledge.ts';
import { mcp } from './requirements/mcp.ts';
import { mcpTools } from './requirements/mcp-tools.ts';
import { notifications } from './requirements/notifications.ts';
import { platform } from './requirements/platform.ts';
import { relay } from './requirements/relay.ts';
import { runs } from './requirements/runs.ts';
import { savedViews } from './requirements/saved-views.ts';
import { search } from './requirements/search.ts';
import { streams } from './requirements/streams.ts';
import { inbox, sandbox, schedules, tasks } from './requirements/tasks.ts';
import { tools } from './requirements/tools.ts';
import { toolCalls } from './requirements/tool-calls.ts';
import { turns } from './requirements/turns.ts';
import { ledger, usage } from './requirements/usage.ts';
import { workflows } from './requirements/workflows.ts';

interface Requirement {
  /** Where it is demanded: `spec` or `contract`, with the heading. */
  source: string;
  behavior: string;
  /** Why `npm test` has no test of it. */
  onlySlow?: string;
}

/** Every requirement that the service keeps so far; each has a test in `npm test` that cites its id; see tools/requirements.test.mjs. */
export const requirements = {
  ...platform,
  ...search,
  ...savedViews,
  ...workflows,
  ...changes,
  ...database,
  ...eventGuarantees,
  ...access,
  ...usage,
  ...ledger,
  ...agents,
  ...chat,
  ...turns,
  ...interactions,
  ...approvals,
  ...context,
  ...jobs,
  ...streams,
  ...tasks,
  ...runs,
  ...inbox,
  ...sandbox,
  ...schedules,
  ...eventManagement,
  ...emissions,
  ...relay,
  ...toolCalls,
  ...connections,
  ...client,
  ...applications,
  ...eventFlow,
  ...tools,
  ...knowledge,
  ...mcp,
  ...mcpTools,
  ...notifications,
} as const satisfies Record<string, Requirement>;

export type RequirementId = keyof typeof requirements;
