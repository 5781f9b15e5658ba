import { isServicePath, maskedPath } from './paths.ts';

const ID = '01980000-0000-7000-8000-000000000000';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r_wW1gFWFOEjXk';

describe('isServicePath', () => {
  it('knows the paths of the API in any case, as routes do', () => {
    const paths = ['/api/agents', '/API/agents', '/Models/v1/models', '/.Well-Known/x', '/MCP'];
    expect(paths.filter(isServicePath)).toEqual(paths);
    expect(['/', '/apis', '/agents/api'].filter(isServicePath)).toEqual([]);
  });
});

describe('maskedPath', () => {
  it.each([
    '/',
    '/api/agents',
    `/api/agents/${ID}/turns/${ID}/stream`,
    '/api/agents/x/sessions/my%20session/messages',
    '/assets/index-Bx3kQz9a.js',
    '/api/tools/current_time',
    '/api/%zz',
  ])('leaves %s as it is', (path) => expect(maskedPath(path)).toBe(path));

  it.each([
    ['an API key', 'pk_4fGh7K2mN9pQ_secretsecretsecretsecret'],
    ['a system key', 'app_4fGh7K2mN9pQ'],
    ['an encoded key', 'pk%5F4fGh7K2mN9pQ'],
    ['a key that was encoded twice', `pk%255F${'a'.repeat(43)}`],
    ['a key behind a word', 'Bearer%20pk_4fGh7K2mN9pQ'],
    ['an access token', JWT],
    ['a refresh token', `${ID}.${'x'.repeat(43)}`],
    ['the secret of a webhook', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ["a model server's key", 'sk-proj-abcdefgh1234'],
    ['any long token', 'f'.repeat(64)],
  ])('leaves out %s', (_, secret) => {
    expect(maskedPath(`/api/agents/${secret}/chat`)).toBe('/api/agents/***/chat');
  });
});
