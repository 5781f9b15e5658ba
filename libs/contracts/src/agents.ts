export const ACCESS_SCOPES = ['SPACE', 'RESTRICTED'] as const;
export type AccessScope = (typeof ACCESS_SCOPES)[number];

export interface AgentVariable {
  name: string;
  /** Default true. */
  required?: boolean;
  description?: string;
  default?: string;
}

export interface AgentTool {
  toolId: string;
  /** Null: all methods of the tool. */
  methods: string[] | null;
}

export const TOOL_STATUSES = ['ready', 'unknown'] as const;

/** A tool of an agent as the service tells it; the status is ignored where it is sent back. */
export interface AgentToolStatus extends AgentTool {
  /** `unknown`: the tool, or one of the methods, does not exist (any more). */
  status: (typeof TOOL_STATUSES)[number];
}

export interface LocalToolDeclaration {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

export interface AgentKnowledge {
  enabled: boolean;
  topK: number;
}

/** Defaults of the agent for the model's settings; a request may override each. */
export interface AgentSettings {
  temperature?: number | null;
  max_tokens?: number | null;
  top_p?: number | null;
  frequency_penalty?: number | null;
  presence_penalty?: number | null;
}

/** What everybody in the space may see of an agent. */
export interface AgentListing {
  id: string;
  name: string;
  description: string;
  accessScope: AccessScope;
  /** Whether the caller may invoke it. */
  accessible: boolean;
}

/** The whole agent, for its owner and for admins. */
export interface Agent extends AgentListing {
  spaceId: string;
  ownerUserId: string;
  model: string;
  /** `unknown`: the space's catalog has no model of that name. */
  modelStatus: 'ready' | 'unknown';
  systemPrompt: string;
  allowedUserIds: string[];
  variables: AgentVariable[];
  tools: AgentToolStatus[];
  localTools: LocalToolDeclaration[];
  knowledge: AgentKnowledge;
  settings: AgentSettings;
  askUser: boolean;
  version: number;
  createdAt: string;
  updatedAt: string;
}

export interface CreateAgentRequest {
  name: string;
  model: string;
  systemPrompt: string;
  description?: string | null;
  accessScope?: AccessScope | null;
  allowedUserIds?: string[] | null;
  variables?: AgentVariable[] | null;
  tools?: AgentTool[] | null;
  localTools?: LocalToolDeclaration[] | null;
  knowledge?: Partial<AgentKnowledge> | null;
  settings?: AgentSettings | null;
  askUser?: boolean | null;
}

export interface UpdateAgentRequest extends Partial<CreateAgentRequest> {
  /** The version the change was made on; 409 when it is no longer the present one. */
  version?: number | null;
}

export interface AgentVersion {
  version: number;
  author: { id: string; name: string } | null;
  createdAt: string;
  agent: Omit<Agent, 'accessible' | 'modelStatus'>;
}

/** Who may call an agent and by which rule. */
export interface AgentAccess {
  agentId: string;
  accessScope: AccessScope;
  /** Each listed user, or each member under SPACE. */
  users: AgentAccessUser[];
  /** Listed ids that belong to no member of the space. */
  unknownUserIds: string[];
}

export interface AgentAccessUser {
  userId: string;
  name: string | null;
  email: string | null;
  allowed: boolean;
  /** One plain sentence: the rule that decided. */
  reason: string;
}
