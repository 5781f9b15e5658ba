// Pages of tools, speech recognition, and knowledge.
import { createServer } from 'node:http';
import { callApi, signIn } from './screenshots-session.mjs';

const RETURNS = `# Returns

Customers can return an order within 30 days. Parcels must be unopened.

# Refunds

The money is paid back within a week after the parcel has arrived.`;

/** Takes screenshots in a space of its own. */
export async function shootTools(browser, options, shootOf) {
  const server = await startDepot();
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const shoot = shootOf(page);
  const first = callApi(page, await signIn(page, process.env.PLATFORM_EMAIL, process.env.PLATFORM_PASSWORD));
  const { space: home } = await first('POST', '/api/auth/refresh', {});
  const space = await first('POST', '/api/spaces', { name: 'Harbor logistics' });
  const { accessToken } = await first('POST', '/api/auth/refresh', { spaceId: space.id });
  const api = callApi(page, accessToken);
  const { host } = new URL(server.url);

  await shootImport(page, shoot, server.url);
  await shootTool(page, shoot, server.url);
  await shootCurl(page, shoot, server.url);
  await shootNewTool(page, shoot);
  await shootSpeech(page, shoot, api, host);
  await shootKnowledge(page, shoot);
  await shootEvidence(page, shoot, api);
  // The next sign-in opens the space that was used last.
  await api('POST', '/api/auth/refresh', { spaceId: home.id });
  await context.close();
  server.close();
}

async function shootImport(page, shoot, url) {
  await page.goto('/tools/import');
  await shoot('tool-import');
  await page.getByText('URL', { exact: true }).click();
  await page.getByLabel('Document URL').fill(`${url}/page`);
  await page.getByRole('button', { name: 'Read document' }).click();
  await page.getByRole('alert').waitFor();
  await shoot('tool-import-problem');
  await page.getByLabel('Document URL').fill(`${url}/openapi.json`);
  await page.getByRole('button', { name: 'Read document' }).click();
  await page.getByRole('region', { name: 'Choose methods' }).waitFor();
  await page.getByText('simplified or skipped').click();
  await shoot('tool-import-report');
  const methods = page.getByRole('region', { name: 'Choose methods' });
  // All methods of a short document are chosen.
  await methods.getByRole('checkbox', { name: 'Choose stopParcel' }).uncheck();
  await methods.scrollIntoViewIfNeeded();
  await shoot('tool-import-methods');
  const save = page.getByRole('region', { name: 'Name and connect' });
  await save.getByLabel('Authentication').click();
  await page.getByTitle('Bearer token').click();
  await save.getByLabel('Token').fill('secret');
  await save.scrollIntoViewIfNeeded();
  await shoot('tool-import-save');
  await save.getByRole('button', { name: 'Import 4 methods' }).click();
  await page.waitForURL(/\/tools\/[0-9a-f-]{36}$/);
  await page.getByRole('region', { name: 'Settings' }).waitFor();
}

async function shootTool(page, shoot, url) {
  await shoot('tool');
  const address = page.url();
  await page.goto(`${address}/import`);
  await page.getByText('Choose file').waitFor();
  await shoot('tool-reimport');
  const newer = JSON.stringify(documentOf(url, { isNewer: true }));
  const file = { name: 'openapi.json', mimeType: 'application/json', buffer: Buffer.from(newer) };
  await page.getByLabel('Choose file').setInputFiles(file);
  const changes = page.getByRole('region', { name: 'Changes' });
  await changes.getByRole('status').waitFor();
  await changes.scrollIntoViewIfNeeded();
  await shoot('tool-reimport-changes');
  await changes.getByRole('button', { name: 'Show what changed in readParcel' }).click();
  await page.getByRole('dialog').waitFor();
  await shoot('tool-reimport-differences');
  await page.goto(`${address}?method=readParcel`);
  await page.getByRole('dialog').waitFor();
  await shoot('tool-method');
  await page.goto(`${address}?try=readParcel`);
  await page.getByRole('button', { name: 'Call method' }).click();
  await page.locator('.call-result > *').first().waitFor();
  await shoot('tool-try');
  await page.getByText('JSON', { exact: true }).click();
  await page.getByText('Input fields').click();
  await shoot('tool-try-json');
  await page.goto('/tools');
  await shoot('tools');
}

async function shootCurl(page, shoot, url) {
  await page.goto('/tools/import');
  await page.getByText('cURL', { exact: true }).click();
  const command = `curl '${url}/parcels?city=Ulm' -H 'Authorization: Bearer secret' --json '{"weight": 12.5}'`;
  await page.getByLabel('curl command').fill(command);
  await shoot('tool-curl');
  await page.getByRole('button', { name: 'Read document' }).click();
  await page.getByText('1 of 1 chosen').waitFor();
  await shoot('tool-curl-report');
}

async function shootNewTool(page, shoot) {
  await page.goto('/tools/new');
  await page.getByLabel('Method name').fill('read parcel');
  await page.getByRole('button', { name: 'Add parameter' }).click();
  await page.getByRole('button', { name: 'Create tool' }).click();
  await page.getByText('Use letters, digits, _ and - only').waitFor();
  await shoot('tool-new');
}

async function shootSpeech(page, shoot, api, endpoint) {
  await page.goto('/tools/speech_recognition');
  await page.getByText('Not ready').waitFor();
  await shoot('speech-not-ready');
  const secrets = { secretId: 'AKIDexampleexampleexample', secretKey: 'secretsecretsecretsecret' };
  await api('PUT', '/api/tools/speech', { ...secrets, endpoint, protocol: 'http' });
  await page.reload();
  const recognize = async (name, buffer) => {
    await page.getByLabel('Choose file').setInputFiles({ name, mimeType: 'audio/wav', buffer });
    await page.getByRole('button', { name: 'Recognize', exact: true }).click();
    await page.getByText('Output of the tool').waitFor();
  };
  await recognize('arrival.wav', makeSilence());
  await shoot('speech');
  await recognize('arrival.ogg', Buffer.from('OggS'));
  await page.getByRole('alert').scrollIntoViewIfNeeded();
  await shoot('speech-failed');
  await page.getByRole('region', { name: 'Configuration' }).scrollIntoViewIfNeeded();
  await shoot('speech-configuration');
}

async function shootKnowledge(page, shoot) {
  await page.goto('/knowledge');
  await page.getByText('No documents yet').waitFor();
  await shoot('knowledge-empty');
  const file = (name, text) => ({ name, mimeType: 'text/markdown', buffer: Buffer.from(text) });
  await page
    .getByLabel('Choose files')
    .setInputFiles([
      file('returns.md', RETURNS),
      file('empty.md', ''),
      file('hours.txt', 'Open from 9 to 5.'),
    ]);
  await page.getByText('3 of 3 files').waitFor();
  await page.getByRole('row', { name: /returns\.md.*Ready/ }).waitFor();
  await page.getByRole('row', { name: /hours\.txt.*Ready/ }).waitFor();
  const search = page.getByRole('region', { name: 'Try a search' });
  await search.getByLabel('Message').fill('How long can customers return an order?');
  await search.getByLabel('Message').press('Enter');
  await search
    .getByText(/^Score/)
    .first()
    .waitFor();
  await shoot('knowledge');
  await search.scrollIntoViewIfNeeded();
  await shoot('knowledge-search');
  const settings = page.getByRole('region', { name: 'How documents are searched' });
  await settings.getByRole('button', { name: 'Change' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Model for embeddings').click();
  await page.getByTitle('platform/offline').first().click();
  await dialog.scrollIntoViewIfNeeded();
  await shoot('knowledge-settings');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await settings.getByText('2 of 2 passages have their vectors.').waitFor();
  await settings.scrollIntoViewIfNeeded();
  await shoot('knowledge-meaning');
  await search.getByRole('link').first().click();
  await page.getByRole('dialog').getByText('Beginning of the text').waitFor();
  await shoot('knowledge-document');
}

async function shootEvidence(page, shoot, api) {
  const { id } = await api('POST', '/api/agents', {
    name: 'Clerk',
    model: 'platform/offline',
    systemPrompt: 'Answer from the documents.',
    knowledge: { enabled: true, topK: 3 },
  });
  await page.goto(`/agents/${id}/playground`);
  await page.getByLabel('Message').fill('How long can customers return an order?');
  await page.getByLabel('Message').press('Enter');
  await page.getByText(/\d tokens \(/).waitFor();
  await page
    .getByText(/^\d sources?/)
    .first()
    .click();
  await shoot('playground-evidence');
}

/** A stand-in for the API of the tool and for the speech provider. */
async function startDepot() {
  const server = createServer((request, response) => {
    const headers = { 'Access-Control-Allow-Origin': '*' };
    if (request.url === '/page') {
      response.writeHead(200, { ...headers, 'Content-Type': 'text/html' }).end('<!doctype html>');
      return;
    }
    const url = `http://127.0.0.1:${server.address().port}`;
    const answers = {
      '/openapi.json': documentOf(url),
      '/': { Response: { Result: 'The parcel for Ulm has arrived.', AudioDuration: 1000, RequestId: 'r' } },
    };
    const answer = answers[request.url] ?? { number: 'P-1001', weight: 12.5, city: 'Ulm' };
    request.resume().on('end', () => {
      response.writeHead(200, { ...headers, 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** With what a later version of the API could have changed. */
function documentOf(url, { isNewer = false } = {}) {
  const number = {
    name: 'number',
    in: 'path',
    required: true,
    schema: { type: 'string', examples: ['P-1001'] },
  };
  const parcel = {
    type: 'object',
    properties: { number: { type: 'string' }, weight: { type: 'number' }, city: { type: 'string' } },
  };
  const content = { 'application/json': { schema: parcel } };
  const responses = { 200: { description: 'The parcel', content } };
  const parcels = { tags: ['parcels'], responses };
  const language = { name: 'language', in: 'query', required: true, schema: { enum: ['de', 'en'] } };
  const reading = isNewer
    ? { summary: 'Reads a parcel and its route', parameters: [number, language] }
    : { summary: 'Reads a parcel', parameters: [number] };
  const depots = { operationId: 'listDepots', summary: 'Lists the depots', tags: ['depots'] };
  const routes = { operationId: 'listRoutes', summary: 'Lists the routes', tags: ['routes'], responses };
  return {
    openapi: '3.1.0',
    info: { title: 'Depots', version: '7' },
    servers: [{ url, description: 'Test' }],
    paths: {
      '/parcels/{number}': {
        get: { operationId: 'readParcel', ...reading, ...parcels },
        delete: { operationId: 'stopParcel', summary: 'Stops a parcel', parameters: [number], ...parcels },
      },
      '/parcels': {
        get: { operationId: 'listParcels', summary: 'Lists the parcels of a depot', ...parcels },
        post: { operationId: 'sendParcel', summary: 'Sends a parcel', requestBody: { content }, ...parcels },
      },
      ...(isNewer ? { '/routes': { get: routes } } : { '/depots': { get: depots } }),
      '/broken': { get: null },
    },
  };
}

/** A second of silence as WAV. */
function makeSilence() {
  const samples = Buffer.alloc(32_000);
  const header = Buffer.from(
    'RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\0\0\0\0',
    'latin1',
  );
  header.writeUInt32LE(36 + samples.length, 4);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
