import { describe, expect, it } from '@jest/globals';
import { asStandard, toJsonRequest } from './token-answers.ts';

const read = (body: unknown, status = 200, knowsIssuer = false) => {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const answer = asStandard({ status, bytes }, knowsIssuer);
  return [answer.status, answer.bytes.toString()];
};

describe('the answer of a token endpoint', () => {
  it('is an error, whatever its status, if it has no token', () => {
    expect(read({ error: 'bad_verification_code' })).toEqual([400, '{"error":"bad_verification_code"}']);
    expect(read({ ok: false, error: 'invalid_code' })).toEqual([400, '{"error":"invalid_code"}']);
  });

  it('has bearer tokens of any name, and a number until it expires', () => {
    const [, text = ''] = read({
      access_token: 'a',
      token_type: 'user',
      expires_in: '60',
      refresh_token: '',
    });
    expect(JSON.parse(String(text))).toEqual({ access_token: 'a', token_type: 'bearer', expires_in: 60 });
    expect(read({ access_token: 'a', token_type: 'DPoP' })[1]).toContain('DPoP');
  });

  it('has an ID token only if it can be checked', () => {
    const body = { access_token: 'a', id_token: 'x.y.z' };
    expect(read(body)[1]).not.toContain('id_token');
    expect(read(body, 200, true)[1]).toContain('x.y.z');
  });

  it('stays as it is if it says nothing of that', () => {
    expect(read('<html>')).toEqual([200, '<html>']);
    expect(read({ error: 'x' }, 503)).toEqual([503, '{"error":"x"}']);
    expect(read([])).toEqual([200, '[]']);
  });
});

it('a form becomes a JSON object', () => {
  const { headers, body } = toJsonRequest('grant_type=a&code=b%20c', { 'Content-Type': 'x', accept: 'y' });
  expect([headers, JSON.parse(body)]).toEqual([
    { accept: 'y', 'content-type': 'application/json; charset=utf-8' },
    { grant_type: 'a', code: 'b c' },
  ]);
});
