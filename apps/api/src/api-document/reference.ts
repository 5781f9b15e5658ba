import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { createApiDocument } from './api-document.ts';
import { codeSamples, ORIGIN } from './code-samples.ts';
import { PLACEHOLDERS } from './examples.ts';

const PATH = '/api/docs';
const DOCUMENT = '/api/openapi.json';

/** Whether a path belongs to the page of the reference. */
export const isReferencePath = (path: string): boolean => path.startsWith(PATH);

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Agent platform: API</title>
    <script type="module" src="${PATH}/viewer.js"></script>
    <script type="module" src="${PATH}/page.js"></script>
  </head>
  <body style="margin: 0">
    <rapi-doc
      info-description-headings-in-navbar="true"
      show-method-in-nav-bar="as-colored-text"
      use-path-in-nav-bar="false"
      nav-item-spacing="compact"
      schema-style="table"
      schema-description-expanded="true"
      default-schema-tab="example"
      load-fonts="false"
      regular-font="system-ui, sans-serif"
      mono-font="ui-monospace, monospace"
      primary-color="#1668dc"
      allow-spec-url-load="false"
      allow-spec-file-load="false"
      allow-spec-file-download="false"
      allow-server-selection="false"
      show-header="false"
      persist-auth="false"
    >
      <p slot="nav-logo" style="margin: 16px 0 0 16px; font: 600 16px system-ui">
        <a href="/" style="color: inherit; text-decoration: none">Agent platform</a>
      </p>
      <p slot="overview">
        <a href="${DOCUMENT}" download style="color: inherit">OpenAPI document</a>
        <span id="signed-out" hidden> · <a href="/" style="color: inherit">Sign in</a>, and reload the page, to try calls</span>
      </p>
    </rapi-doc>
  </body>
</html>
`;

/** Where the page finds ids of the space for the examples, in lists whose first entries do. */
const LISTS = {
  [PLACEHOLDERS.agentId]: '/api/agents?accessibleOnly=true&limit=1',
  [PLACEHOLDERS.taskId]: '/api/tasks?limit=1',
  [PLACEHOLDERS.runId]: '/api/runs?limit=1',
  [PLACEHOLDERS.toolId]: '/api/tools?limit=1',
  [PLACEHOLDERS.modelId]: '/api/models?limit=1',
  [PLACEHOLDERS.documentId]: '/api/knowledge/documents?limit=1',
  [PLACEHOLDERS.jobId]: '/api/agent-jobs?limit=1',
  [PLACEHOLDERS.subscriptionId]: '/api/events/subscriptions?limit=1',
  [PLACEHOLDERS.envelopeId]: '/api/events/envelopes?limit=1',
};

/** The document with guides, and with code for each example. */
function createReference(document: OpenAPIObject): object {
  const guides = readFileSync(new URL('./guides.md', import.meta.url), 'utf8');
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [path, withSamples(path, item)]),
  );
  const { userId, spaceId, email } = PLACEHOLDERS;
  return {
    document: { ...document, info: { ...document.info, description: guides }, paths },
    origin: ORIGIN,
    lists: LISTS,
    account: { userId, spaceId, email },
  };
}

function withSamples(path: string, item: OpenAPIObject['paths'][string]): object {
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]: [string, object]) => [
      method,
      {
        ...operation,
        'x-codeSamples': codeSamples(
          method,
          path,
          operation as OpenAPIObject['paths'][string]['get'] & object,
        ),
      },
    ]),
  );
}

/** Serves the OpenAPI document, and a page that shows it and can call it with a key. Everything comes from this origin. */
export function serveReference(app: NestExpressApplication): void {
  let document: OpenAPIObject | undefined;
  let reference: object | undefined;
  app.use(DOCUMENT, (req: Request, res: Response, next: () => void) => {
    if (req.path !== '/' || (req.method !== 'GET' && req.method !== 'HEAD')) next();
    else res.json((document ??= createApiDocument(app)));
  });
  const viewer = findViewer();
  const page = join(import.meta.dirname, 'viewer-page.js');
  app.use(PATH, (req: Request, res: Response, next: () => void) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      next();
      return;
    }
    res.setHeader('Cache-Control', 'no-cache');
    if (req.path === '/') res.type('html').send(PAGE);
    else if (req.path === '/page.js') res.sendFile(page);
    else if (req.path === '/document.json')
      res.json((reference ??= createReference((document ??= createApiDocument(app)))));
    else if (req.path === '/viewer.js') res.sendFile(viewer);
    else next();
  });
}

/** The build copies the viewer, so that an installation without the packages of developers has it. */
function findViewer(): string {
  const copied = join(import.meta.dirname, 'viewer', 'rapidoc-min.js');
  return existsSync(copied) ? copied : createRequire(import.meta.url).resolve('rapidoc');
}
