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
  /** Null means all methods of the tool. */
  methods: string[] | null;
}

export const TOOL_STATUSES = ['ready', 'unknown'] as const;

/** A tool of an agent in a response. Requests may contain the status; it is ignored. */
export interface AgentToolStatus extends AgentTool {
  /** `unknown`: the tool or one of its methods does not exist. */
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

/** The agent's default model settings. A request can override each of them. */
export interface AgentSettings {
  temperature?: number | null;
  max_tokens?: number | null;
  top_p?: number | null;
  frequency_penalty?: number | null;
  presence_penalty?: number | null;
}

/** The fields of an agent that every member of the space can see. */
export interface AgentListing {
  id: string;
  name: string;
  description: string;
  accessScope: AccessScope;
  /** Whether the caller can invoke the agent. */
  accessible: boolean;
}

/** All fields of an agent, visible to its owner and to admins. */
export interface Agent extends AgentListing {
  spaceId: string;
  ownerUserId: string;
  model: string;
  /** `unknown`: the catalog of the space has no model with this name. */
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
  /** The version that the change is based on. If it is no longer the current version, the response is 409. */
  version?: number | null;
}

export interface AgentVersion {
  version: number;
  author: { id: string; name: string } | null;
  createdAt: string;
  agent: Omit<Agent, 'accessible' | 'modelStatus'>;
}

/** Who can invoke an agent, and which rule decides. */
export interface AgentAccess {
  agentId: string;
  accessScope: AccessScope;
  /** With RESTRICTED, the listed users; with SPACE, all members. */
  users: AgentAccessUser[];
  /** Listed ids that do not belong to a member of the space. */
  unknownUserIds: string[];
}

export interface AgentAccessUser {
  userId: string;
  name: string | null;
  email: string | null;
  allowed: boolean;
  /** The rule that decided, as one sentence. */
  reason: string;
}
