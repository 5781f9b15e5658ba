import { describe, expect, it } from '@jest/globals';
import { CLIENT_FORMS, formatSettings } from './client-settings.ts';

const URL = 'https://platform.example/mcp/1';

describe('the settings of clients', () => {
  it('are a command for Claude Code, and JSON with the address for all others', () => {
    expect(formatSettings('claude', URL, 'Zoë’s Café')).toBe(
      `claude mcp add --transport http zoe-s-cafe ${URL}`,
    );
    for (const form of CLIENT_FORMS.filter((each) => each !== 'claude')) {
      const parsed = JSON.parse(formatSettings(form, URL, '空间')) as Record<string, Record<string, object>>;
      expect(parsed[form === 'vscode' ? 'servers' : 'mcpServers']?.platform).toMatchObject({ url: URL });
    }
  });

  it('contain a place for an API key only where one is used', () => {
    const withKey = CLIENT_FORMS.filter((form) => formatSettings(form, URL, 'A').includes('pk_'));
    expect(withKey).toEqual(['key']);
  });
});
