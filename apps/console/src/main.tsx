import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '@fontsource-variable/geist/wght.css';
import { App } from './app.tsx';
import { startI18n } from './i18n.ts';
import './styles.css';
import { applyTheme } from './theme.ts';

applyTheme();
await startI18n();

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
