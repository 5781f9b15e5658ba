import { operationId, titleOf } from './operation-ids.ts';

describe('titleOf', () => {
  it.each([
    ['listApiKeys', 'List API keys'],
    ['chat', 'Chat'],
    ['ReceivedInvitations', 'Received invitations'],
    ['getMe', 'Get the caller'],
  ])('writes %s as %s', (name, title) => {
    expect(titleOf(name)).toBe(title);
  });
});

describe('operationId', () => {
  it.each([
    ['AgentsController', 'list', 'listAgents'],
    ['AgentsController', 'create', 'createAgent'],
    ['TurnsController', 'chat', 'chat'],
    ['TurnsController', 'cancel', 'cancelTurn'],
    ['ApiKeysController', 'list', 'listApiKeys'],
    ['ApiKeysController', 'revoke', 'revokeApiKey'],
    ['BulkReplaysController', 'stop', 'stopBulkReplay'],
    ['AuditController', 'list', 'listAuditEntries'],
    ['RelayController', 'complete', 'createChatCompletion'],
    ['NewThingsController', 'get', 'getNewThing'],
  ])('names %s.%s %s', (controller, method, name) => {
    expect(operationId(controller, method)).toBe(name);
  });
});
