export const ACCESS_SCOPES = ['SPACE', 'RESTRICTED'] as const;
export type AccessScope = (typeof ACCESS_SCOPES)[number];

export const TOOL_STATUSES = ['ready', 'unknown'] as const;
