import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

const api = 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [react()],
  // Libraries are read from their sources: no build before the console's own.
  resolve: { conditions: ['platform-source', ...defaultClientConditions] },
  build: { outDir: 'dist', assetsInlineLimit: 0, chunkSizeWarningLimit: 700 },
  server: { host: '127.0.0.1', proxy: { '/api': api, '/models/v1': api } },
});
