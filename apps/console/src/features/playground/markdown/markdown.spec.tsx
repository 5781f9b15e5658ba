import { expect, it } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { renderInApp } from '../../../../test/render.tsx';
import { Markdown } from './markdown.tsx';

it('draws formulas as MathML, and leaves prices and code as text', async () => {
  const text = 'It is $x^2$ for $5 or $6.\n\n\\[ \\frac{a}{b} \\]\n\n`$y$`';
  await renderInApp(<Markdown text={text} streaming={false} />);
  await waitFor(() => expect(document.querySelectorAll('math')).toHaveLength(2), { timeout: 10_000 });
  const drawn = [...document.querySelectorAll('math')];
  expect(drawn.map((one) => one.getAttribute('display'))).toEqual([null, 'block']);
  expect(drawn[1]?.querySelector('mfrac')?.textContent).toBe('ab');
  expect(document.body.textContent).toContain('for $5 or $6.');
  expect(screen.getByText('$y$').tagName).toBe('CODE');
});

it('shows a formula that cannot be read as it was written, and no address in it', async () => {
  const text = '$\\frac{a$ and $\\href{https://example.com}{x}$';
  await renderInApp(<Markdown text={text} streaming={false} />);
  await screen.findByText('\\frac{a', {}, { timeout: 10_000 });
  expect(document.querySelectorAll('a')).toHaveLength(0);
});

it('shows a formula that defines commands as it was written', async () => {
  const text = `$\\def\\a#1{${'#1'.repeat(300)}}\\a{${'x'.repeat(300)}}$ and $y$`;
  await renderInApp(<Markdown text={text} streaming={false} />);
  await waitFor(() => expect(document.querySelectorAll('math')).toHaveLength(1), { timeout: 10_000 });
  expect(document.querySelector('code')?.textContent).toContain('\\def\\a#1');
});
