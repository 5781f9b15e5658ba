import { afterEach, expect, it } from '@jest/globals';
import type { ToolMethod } from '@platform/contracts';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { renderInApp } from '../../../../test/render.tsx';
import { TrialInput, useTrialInput } from './trial-input.tsx';

afterEach(cleanup);

const METHOD = {
  inputSchema: { type: 'object', properties: { limit: { type: 'integer' }, name: { type: 'string' } } },
  bindings: [],
} as unknown as ToolMethod;

function Trial() {
  const trial = useTrialInput(METHOD);
  return (
    <>
      <TrialInput trial={trial} />
      <output>{trial.isValid && trial.input ? JSON.stringify(trial.input) : 'Nothing'}</output>
    </>
  );
}

const field = (name: RegExp) => screen.getByLabelText<HTMLTextAreaElement>(name);
const enter = (name: RegExp, value: string) => fireEvent.change(field(name), { target: { value } });
const show = (view: string) => fireEvent.click(screen.getByText(view));
const sent = () => document.querySelector('output')?.textContent;

it('keeps what is not a value yet, and shows the other values as JSON', async () => {
  await renderInApp(<Trial />);
  enter(/^name/, 'a');
  enter(/^limit/, '5');
  enter(/^limit/, '5x');
  expect(sent()).toBe('Nothing');
  show('JSON');
  expect(sent()).toBe('{"name":"a"}');
  screen.getByText('Not complete in the form, and missing here: limit');
  show('Form');
  expect(field(/^limit/).value).toBe('5x');
  expect(sent()).toBe('Nothing');
  enter(/^limit/, '50');
  expect(JSON.parse(sent() ?? '')).toEqual({ name: 'a', limit: 50 });
});

it('goes back from a text that is no JSON, and keeps the text', async () => {
  await renderInApp(<Trial />);
  enter(/^name/, 'a');
  show('JSON');
  await screen.findByLabelText('Input');
  enter(/^Input$/, '{"limit":');
  expect(sent()).toBe('Nothing');
  show('Form');
  expect(field(/^name/).value).toBe('a');
  expect(sent()).toBe('{"name":"a"}');
  show('JSON');
  expect(field(/^Input$/).value).toBe('{"limit":');
  enter(/^Input$/, '{"limit": 7}');
  show('Form');
  expect(field(/^limit/).value).toBe('7');
  expect(field(/^name/).value).toBe('');
});
