/** The clients for which there are settings to copy. */
export const CLIENT_FORMS = ['claude', 'cursor', 'vscode', 'oauth', 'key'] as const;
export type ClientForm = (typeof CLIENT_FORMS)[number];

const format = (value: object) => JSON.stringify(value, null, 2);

/** The settings by which a client finds the MCP server of a space. */
export function formatSettings(form: ClientForm, url: string, spaceName: string): string {
  const name = serverName(spaceName);
  switch (form) {
    case 'claude':
      return `claude mcp add --transport http ${name} ${url}`;
    case 'cursor':
      return format({ mcpServers: { [name]: { url } } });
    case 'vscode':
      return format({ servers: { [name]: { type: 'http', url } } });
    case 'oauth':
      return format({ mcpServers: { [name]: { type: 'http', url } } });
    case 'key':
      return format({
        mcpServers: { [name]: { type: 'http', url, headers: { Authorization: 'Bearer pk_…' } } },
      });
  }
}

/** A name that every client accepts. People with several spaces tell them apart by it. */
function serverName(spaceName: string): string {
  const name = spaceName
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
  return name === '' ? 'platform' : name;
}
