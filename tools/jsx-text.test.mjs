import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { literalTexts } from './jsx-text.mjs';

/** Returns how many literal texts are found in an element. */
function countTexts(element) {
  const found = new Linter().verify(
    `export const planted = (t) => ${element};`,
    {
      files: ['**/*.tsx'],
      languageOptions: {
        parser: tseslint.parser,
        parserOptions: { ecmaFeatures: { jsx: true } },
      },
      rules: { 'no-restricted-syntax': ['error', ...literalTexts] },
    },
    { filename: 'planted.tsx' },
  );
  assert.ok(
    found.every(({ ruleId }) => ruleId === 'no-restricted-syntax'),
    JSON.stringify(found),
  );
  return found.length;
}

test('finds literal texts between tags, in braces, and in attributes that users read', () => {
  const planted = [
    '<p>Save</p>',
    '<p>{count} files</p>',
    "<p>{'Save'}</p>",
    '<p>{`Save ${name}`}</p>',
    "<p>{isNew ? 'Create' : t('save')}</p>",
    "<p>{isNew && 'Create'}</p>",
    '<>保存</>',
    '<Button title="Save" />',
    '<Button aria-label="Save" />',
    "<Button aria-label={'Save'} />",
    "<Button aria-label={isNew ? 'Create' : t('save')} />",
    '<Input placeholder={`Name of ${kind}`} />',
    '<img alt="A chart" />',
  ];
  for (const element of planted) assert.equal(countTexts(element), 1, element);
});

test('leaves texts of the locales, marks, and code alone', () => {
  const fine = [
    "<p className='muted'>{t('common.save')}</p>",
    "<p>{t('a.b', { name: 'x' })} · {count} – 5 %</p>",
    "<Button title={t(isNew ? 'common.create' : 'common.save')} />",
    "<Button title={isNew ? t('common.create') : undefined} />",
    "<p>{kind === 'code' && t('common.code')}</p>",
    "<p>{names.join(', ')}</p>",
    '<Input placeholder="https://api.example.com/v1" />',
    '<kbd>Esc</kbd>',
  ];
  for (const element of fine) assert.equal(countTexts(element), 0, element);
});
