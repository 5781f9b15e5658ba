import { createHmac } from 'node:crypto';
import { cpuMsOf } from '../../../e2e/harness/cpu-time.ts';
import { CHAT_FORMATS } from './chat-formats.ts';
import { linesOf, titleOf, toItem, type Message } from './message.ts';

const at = new Date('2026-01-15T12:00:00.000Z');
const payload = {
  runId: 'r1',
  taskId: 't1',
  taskName: 'Print <all> & *more*',
  status: 'FAILED',
  errorMessage: 'No\npaper',
};
const item = toItem('https://platform.example.com', {
  id: 'n1',
  event: 'run.failed',
  severity: 'error',
  payload,
  createdAt: at,
});
const message = (change: Partial<Message> = {}): Message => ({
  deliveryId: 'd1',
  spaceId: 's1',
  channelName: 'Ops',
  isTest: false,
  count: 1,
  items: [item],
  at,
  ...change,
});
interface FeishuPost {
  content: { post: { en_us: { content: { tag: string; text: string }[][] } } };
}
const URL_OF_HOOK = 'https://chat.example.com/hook?access_token=k3y';
const sent = (kind: keyof typeof CHAT_FORMATS, secret: string | null, one = message()) =>
  CHAT_FORMATS[kind].toRequest(one, URL_OF_HOOK, secret, at);

describe('a message', () => {
  it('says what happened in one line, and links to it', () => {
    expect(linesOf(message())).toEqual([
      {
        text: 'A run of the task “Print <all> & *more*” failed: No paper',
        url: 'https://platform.example.com/runs/r1',
      },
    ]);
    expect(titleOf(message())).toBe('[Ops] run.failed');
  });

  it('shows twenty lines, and says how many more there are', () => {
    const many = message({ count: 250, items: Array.from({ length: 100 }, () => item) });
    expect(linesOf(many)).toHaveLength(21);
    expect(linesOf(many).at(-1)?.text).toBe('And 230 more.');
    expect(titleOf(many)).toBe('[Ops] 250 notifications');
  });
});

describe('the formats of chats', () => {
  it('Slack: blocks of text without mentions', () => {
    const { url, body } = sent('slack', null);
    expect(url).toBe(URL_OF_HOOK);
    expect(body).toMatchObject({
      text: '[Ops] run.failed',
      blocks: [{ type: 'header' }, { type: 'section' }],
    });
    expect(JSON.stringify(body)).toContain('Print &lt;all&gt; &amp; *more*');
    expect(JSON.stringify(body)).toContain('<https://platform.example.com/runs/r1|Open>');
  });

  it('Feishu: a post, signed with the secret as the key of an empty text', () => {
    const timestamp = '1768478400';
    const sign = createHmac('sha256', `${timestamp}\ns3cret`).update('').digest('base64');
    expect(sent('feishu', 's3cret').body).toMatchObject({
      timestamp,
      sign,
      msg_type: 'post',
      content: {
        post: {
          en_us: {
            title: '[Ops] run.failed',
            content: [[{ tag: 'text' }, { tag: 'a', href: 'https://platform.example.com/runs/r1' }]],
          },
        },
      },
    });
    expect(sent('feishu', null).body).not.toHaveProperty('sign');
  });

  it('DingTalk: markdown, signed in the address', () => {
    const { url, body } = sent('dingtalk', 's3cret');
    const sign = createHmac('sha256', 's3cret').update('1768478400000\ns3cret').digest('base64');
    const { searchParams } = new URL(url);
    expect(Object.fromEntries(searchParams)).toEqual({
      access_token: 'k3y',
      timestamp: '1768478400000',
      sign,
    });
    expect(body).toMatchObject({ msgtype: 'markdown', markdown: { title: '[Ops] run.failed' } });
    expect(sent('dingtalk', null).url).toBe(URL_OF_HOOK);
  });

  /** A digest of so many long Chinese errors. */
  const digest = (count: number) => {
    const long = { ...item, text: '错误'.repeat(249) };
    return message({ count, items: Array.from({ length: count }, () => long) });
  };

  it('Feishu: a post within its bytes, which says how many lines it leaves out', () => {
    const { body } = sent('feishu', 's3cret', digest(20));
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(18_000);
    const shown = (body as FeishuPost).content.post.en_us.content;
    expect(shown.length).toBeGreaterThan(10);
    expect(shown.at(-1)).toEqual([{ tag: 'text', text: `And ${20 - shown.length + 1} more.` }]);
    // No line is cut.
    for (const line of shown.slice(0, -1)) expect(line[0]?.text).toBe('错误'.repeat(249));
    // One more line would be too much.
    const line = Buffer.byteLength(`,${JSON.stringify(shown[0])}`);
    expect(Buffer.byteLength(JSON.stringify(body)) + line).toBeGreaterThan(18_000 - 100);
  });

  it('Feishu: all lines of a post that fits, up to twenty', () => {
    const linesIn = (count: number) =>
      (
        sent('feishu', null, message({ count, items: Array.from({ length: count }, () => item) }))
          .body as FeishuPost
      ).content.post.en_us.content;
    expect(linesIn(20)).toHaveLength(20);
    expect(linesIn(30)).toHaveLength(21);
    expect(linesIn(30).at(-1)).toEqual([{ tag: 'text', text: 'And 10 more.' }]);
  });

  it('DingTalk: markdown within its bytes', () => {
    const { body } = sent('dingtalk', null, digest(20));
    const { text } = (body as { markdown: { text: string } }).markdown;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(15_003);
    expect(Buffer.byteLength(text)).toBeGreaterThan(14_990);
    expect(text).toMatch(/错误…$|错…$/);
  });

  it.each(['feishu', 'dingtalk', 'wecom'] as const)('%s: texts of megabytes in linear time', async (kind) => {
    const text = `${'\uFFFD'.repeat(1_000_000)}!`;
    const huge = message({ count: 2, items: [item, { ...item, text }] });
    const spent = await cpuMsOf(() => {
      expect(Buffer.byteLength(JSON.stringify(sent(kind, null, huge).body))).toBeLessThan(18_000);
    });
    expect(spent).toBeLessThan(5_000);
  });

  it('WeCom: markdown within its bytes', () => {
    const { body } = sent('wecom', null, digest(20));
    const { content } = (body as { markdown: { content: string } }).markdown;
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(4_096);
    expect(content).toMatch(/错误…$|错…$/);
    expect(JSON.stringify(sent('wecom', null).body)).toContain('Print \\\\<all\\\\> & \\\\*more\\\\*');
  });

  it('a refusal with the status of a success is a failure', () => {
    const { slack, feishu, dingtalk, wecom } = CHAT_FORMATS;
    expect(slack.refusalOf('ok')).toBeNull();
    expect(slack.refusalOf('invalid_payload')).toBe('invalid_payload');
    expect(feishu.refusalOf('{"code":0,"msg":"success"}')).toBeNull();
    expect(feishu.refusalOf('{"code":19021,"msg":"sign match fail"}')).toBe('code 19021: sign match fail');
    expect(dingtalk.refusalOf('{"errcode":0,"errmsg":"ok"}')).toBeNull();
    expect(wecom.refusalOf('{"errcode":93000,"errmsg":"invalid webhook url"}')).toMatch(/93000/);
    for (const body of ['', '<html>', 'null', '[]', '{}']) expect(wecom.refusalOf(body)).not.toBeNull();
  });
});
