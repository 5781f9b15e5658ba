import { createHmac } from 'node:crypto';
import { shortenText } from '../../infra/runtime/shorten-text.ts';
import { linesOf, titleOf, type Line, type Message } from './message.ts';

/** The incoming webhooks of a chat. */
export interface ChatFormat {
  /** The request that posts a message. The secret is the optional one that signs; `at` is when it is sent. */
  toRequest: (
    message: Message,
    url: string,
    secret: string | null,
    at: Date,
  ) => { url: string; body: object };
  /** Returns why a response with a status of success refuses the message; null if it does not. */
  refusalOf: (body: string) => string | null;
}

/** A request to Feishu takes 20 KB. */
const FEISHU_BYTES = 18_000;
/** Of them, what is left for the line that says how many more there are. */
const MORE_BYTES = 100;

type ChatKind = 'slack' | 'feishu' | 'dingtalk' | 'wecom';

export const CHAT_FORMATS: Record<ChatKind, ChatFormat> = {
  slack: {
    toRequest: (message, url) => {
      const lines = linesOf(message).map(({ text, url: link }) =>
        link === null ? forSlack(text) : `• ${forSlack(text)} <${forSlack(link)}|Open>`,
      );
      const text = forSlack(titleOf(message));
      return {
        url,
        body: {
          text,
          blocks: [
            { type: 'header', text: { type: 'plain_text', text: shortenText(titleOf(message), 150) } },
            // A section takes 3,000 characters.
            ...chunksOf(lines, 3_000).map((chunk) => ({
              type: 'section',
              text: { type: 'mrkdwn', text: chunk },
            })),
          ],
        },
      };
    },
    refusalOf: (body) => (body === '' || body === 'ok' ? null : shortenText(body, 200)),
  },
  feishu: {
    toRequest: (message, url, secret, at) => {
      const timestamp = String(Math.floor(at.getTime() / 1000));
      const toBody = (lines: readonly Line[]) => ({
        // The key is the secret with the time; the signed text is empty.
        ...(secret !== null && { timestamp, sign: sign(`${timestamp}\n${secret}`, '') }),
        msg_type: 'post',
        content: { post: { en_us: { title: titleOf(message), content: lines.map(toFeishuLine) } } },
      });
      const room = FEISHU_BYTES - MORE_BYTES - jsonBytes(toBody([]));
      return { url, body: toBody(linesOf(message, countFitting(linesOf(message), room))) };
    },
    refusalOf: (body) => refusalIn(body, 'code', 'msg'),
  },
  dingtalk: {
    toRequest: (message, url, secret, at) => {
      const signed = new URL(url);
      if (secret !== null) {
        const timestamp = String(at.getTime());
        signed.searchParams.set('timestamp', timestamp);
        signed.searchParams.set('sign', sign(secret, `${timestamp}\n${secret}`));
      }
      const title = titleOf(message);
      return {
        url: signed.href,
        // A message takes 20,000 bytes.
        body: { msgtype: 'markdown', markdown: { title, text: cutBytes(toMarkdown(message), 15_000) } },
      };
    },
    refusalOf: (body) => refusalIn(body, 'errcode', 'errmsg'),
  },
  wecom: {
    toRequest: (message, url) => ({
      url,
      // A message takes 4,096 bytes.
      body: { msgtype: 'markdown', markdown: { content: cutBytes(toMarkdown(message), 4_000) } },
    }),
    refusalOf: (body) => refusalIn(body, 'errcode', 'errmsg'),
  },
};

const toFeishuLine = ({ text, url }: Line) => [
  { tag: 'text', text },
  ...(url === null ? [] : [{ tag: 'a', text: ' →', href: url }]),
];

const jsonBytes = (value: object) => Buffer.byteLength(JSON.stringify(value));

/** How many of the first lines a post takes within so many bytes. */
function countFitting(lines: readonly Line[], most: number): number {
  let bytes = 0;
  const end = lines.findIndex((line) => {
    bytes += jsonBytes(toFeishuLine(line)) + 1;
    return bytes > most;
  });
  return end === -1 ? lines.length : end;
}

function toMarkdown(message: Message): string {
  const lines = linesOf(message).map(({ text, url }) =>
    url === null ? forMarkdown(text) : `- ${forMarkdown(text)} [Open](${url})`,
  );
  return [`**${forMarkdown(titleOf(message))}**`, ...lines].join('\n\n');
}

const sign = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64');

/** `&`, `<`, and `>` begin mentions and links. */
const forSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const forMarkdown = (text: string) => text.replace(/[\\`*_[\]<>#@]/g, '\\$&');

function refusalIn(body: string, codeField: string, messageField: string): string | null {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return 'The response is not JSON';
  }
  if (typeof answer !== 'object' || answer === null) return 'The response is not an object';
  const { [codeField]: code = null, [messageField]: message } = answer as Record<string, unknown>;
  if (code === 0) return null;
  return shortenText(
    `${codeField} ${JSON.stringify(code)}: ${typeof message === 'string' ? message : ''}`,
    200,
  );
}

/** Cuts a text between two characters; a text that was cut ends in "…". */
function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most;
  // Bytes that continue a character begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}

function chunksOf(lines: readonly string[], most: number): string[] {
  const chunks: string[] = [];
  for (const line of lines) {
    const last = chunks.at(-1);
    const kept = shortenText(line, most);
    if (last !== undefined && last.length + kept.length < most)
      chunks[chunks.length - 1] = `${last}\n${kept}`;
    else chunks.push(kept);
  }
  return chunks;
}
