import { expect, it } from '@jest/globals';
import { summarizeDetails } from './summarize-details.ts';

it('names what was changed', () => {
  expect(summarizeDetails({ email: 'ada@example.com', from: 'MEMBER', to: 'ADMIN' })).toBe(
    'ada@example.com · MEMBER → ADMIN',
  );
  expect(summarizeDetails({ fields: ['model', 'settings'], name: 'Support' })).toBe(
    'Support · model, settings',
  );
  const change = 'Changed step charge; disabled.';
  expect(summarizeDetails({ name: 'Ship', fields: ['workflow', 'enabled'], change })).toBe(
    `Ship · ${change}`,
  );
});

it('ignores what is not text, and shortens what is long', () => {
  expect(summarizeDetails({ name: { deep: 1 }, newAccount: true, title: '' })).toBe('');
  expect(summarizeDetails({ name: 'x'.repeat(5_000) })).toBe(`${'x'.repeat(120)}…`);
});
