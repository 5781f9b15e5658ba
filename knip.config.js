/** No unused file, export or dependency; what stands here is reached in ways that imports do not show. */
export default {
  workspaces: {
    '.': {
      entry: [
        'tools/*.mjs',
        'tools/bench/*.mjs',
        'tools/*.d.mts',
        // Named by their paths in the configuration of Jest.
        'tools/jest/{runtime,environment}.mjs',
      ],
      project: ['tools/**/*.{mjs,mts}'],
      ignoreDependencies: [
        // Started as a program, beside which the relay is measured.
        '@portkey-ai/gateway',
        // The gateway's own copy, which it cannot work with as it is.
        '@hono/node-server',
        // The API's own, which its build copies.
        'rapidoc',
        // The API's own, beside which the event bus is measured.
        'bull',
        // The API's own, which serves MCP behind the service that is measured.
        '@modelcontextprotocol/node',
        '@modelcontextprotocol/server',
        // Started as a program, which tests the MCP server.
        '@modelcontextprotocol/conformance',
      ],
      // The console's, run in its folder.
      ignoreBinaries: ['vite'],
    },
    'apps/api': {
      entry: [
        'src/main.ts',
        'src/openapi.ts',
        // Found in their folder.
        'src/migrations/[0-9]*.ts',
        // The programs of a sandbox process.
        'src/tasks/sandbox/{child,watchdog}.ts',
        'src/**/*.spec.ts',
        'e2e/**/*.{e2e,faults}-spec.ts',
        // Preloaded into processes that tests start.
        'e2e/faults/preload-sink.ts',
        // Started by the conformance package.
        'e2e/fixtures/conformance-client.mjs',
      ],
      project: ['{src,e2e}/**/*.{ts,mjs}'],
      ignoreDependencies: [
        // Required instead of imported: the first has no types, and the other is only served.
        'swagger-client',
        'rapidoc',
        // MCP servers that tests start as programs.
        '@modelcontextprotocol/server-everything',
        '@modelcontextprotocol/server-filesystem',
        '@modelcontextprotocol/server-memory',
      ],
    },
    'apps/console': {
      entry: ['src/**/*.spec.{ts,tsx}', 'e2e/**/*.e2e-spec.ts'],
      project: ['{src,e2e}/**/*.{ts,tsx}'],
    },
    'libs/client': {
      entry: ['src/**/*.spec.ts'],
      project: ['{src,test}/**/*.ts'],
    },
    'libs/openapi-import': {
      entry: ['src/**/*.spec.ts'],
      project: ['src/**/*.ts'],
    },
    'libs/speech': {
      entry: ['src/**/*.spec.ts'],
      project: ['{src,test}/**/*.ts'],
    },
    'libs/contracts': {
      project: ['src/**/*.ts'],
    },
  },
};
