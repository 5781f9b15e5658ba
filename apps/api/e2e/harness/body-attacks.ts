const MB = 1024 * 1024;

/** `{"0":1,"1":1,…,"z":1,"10":1,…}` */
const keys = (count: number) =>
  `{${Array.from({ length: count }, (_, i) => `"${i.toString(36)}":1`).join()}}`;
const chat = (rest: string) => `{"stream":false,"contents":[{"type":"text","text":"Hi"}],${rest}}`;
const item = (rest: string) => `{"contents":[${rest}]}`;
const inputs = (rest: string) => `{"inputs":${rest}}`;
const list = (count: number, entry: string) => `[${Array<string>(count).fill(entry).join()}]`;

export interface Attack {
  name: string;
  path: 'login' | 'agents' | 'chat' | 'execute';
  body: string;
  /** What the answer says. */
  refused: RegExp;
}

const AGENT = '"name":"A","model":"platform/offline","systemPrompt":"x"';

/** Bodies that are made to be slow. */
export const ATTACKS: Attack[] = [
  {
    name: '118,000 unknown keys on login',
    path: 'login',
    body: keys(118_000),
    refused: /^The body must have at most 500 keys$/,
  },
  {
    name: '60,000 keys in a new agent',
    path: 'agents',
    body: keys(60_000),
    refused: /^The body must have at most 500 keys$/,
  },
  {
    name: '50,000 keys in the settings of a new agent',
    path: 'agents',
    body: `{${AGENT},"settings":${keys(50_000)}}`,
    refused: /^settings must have at most 500 keys$/,
  },
  {
    name: '90,000 users in a new agent',
    path: 'agents',
    body: `{${AGENT},"allowedUserIds":${list(90_000, '"u"')}}`,
    refused: /^allowedUserIds must have at most 10000 items$/,
  },
  {
    name: '60,000 variables in a new agent',
    path: 'agents',
    body: `{${AGENT},"variables":${list(60_000, '{"name":"x"}')}}`,
    refused: /^variables must have at most 128 items$/,
  },
  {
    name: '150,000 placeholders in a new agent',
    path: 'agents',
    body: `{"name":"A","model":"platform/offline","systemPrompt":"${'{{x}}'.repeat(150_000)}"}`,
    refused: /^systemPrompt must have at most 1000 \{\{variables\}\}/,
  },
  {
    name: '120,000 keys in the settings of a chat',
    path: 'chat',
    body: chat(`"settings":${keys(120_000)}`),
    refused: /^settings must have at most 500 keys$/,
  },
  {
    name: '120,000 keys two levels down in a chat',
    path: 'chat',
    body: chat(`"settings":{"temperature":{"x":${keys(120_000)}}}`),
    refused: /^settings\.temperature\.x must have at most 500 keys$/,
  },
  {
    name: '150,000 unknown keys in a content item',
    path: 'chat',
    body: item(`{"type":"text","text":"Hi","x":${keys(150_000)}}`),
    refused: /^contents\[0\]\.x is not a known field$/,
  },
  {
    name: '150,000 unknown keys beside the text of a content item',
    path: 'chat',
    body: item(keys(150_000).replace('{', '{"type":"text","text":"Hi",')),
    refused: /^contents\[0\] must have at most 500 keys$/,
  },
  {
    name: '400,000 unknown keys in a content item',
    path: 'chat',
    body: item(keys(400_000).replace('{', '{"type":"text","text":"Hi",')),
    refused: /^The body must have at most 200000 objects, arrays and keys together$/,
  },
  {
    name: '65 content items',
    path: 'chat',
    body: item(list(65, '{"type":"text","text":"Hi"}').slice(1, -1)),
    refused: /^contents must have at most 64 items$/,
  },
  {
    name: '2 million registered tools',
    path: 'chat',
    body: chat(`"registeredLocalTools":${list(2_000_000, '"t"')}`),
    refused: /^registeredLocalTools must have at most 10000 items$/,
  },
  {
    name: 'a data URI with 2.4 million parameters',
    path: 'chat',
    body: item(
      `{"type":"image_url","image_url":{"url":"data:image/png${';a=b'.repeat(2_400_000)};base64,SGk="}}`,
    ),
    refused: /^contents\[0\]\.image_url\.url must be an http: or https: address or a data:/,
  },
  {
    name: '10 MB of brackets',
    path: 'chat',
    body: '['.repeat(10 * MB),
    refused: /^The body is nested deeper than 64 levels$/,
  },
  {
    name: '10 MB of empty objects',
    path: 'chat',
    body: item(`${'{},'.repeat(3 * MB)}{}`),
    refused: /^The body must have at most 200000 objects, arrays and keys together$/,
  },
  {
    name: '400,000 images',
    path: 'execute',
    body: inputs(`{"query":"Hi","images":${list(400_000, '"x"')}}`),
    refused: /^inputs\.images must be a list of at most 64 URLs$/,
  },
  {
    name: 'an image whose data: head has 1 MB',
    path: 'execute',
    body: inputs(`{"query":"Hi","images":["data:image/${'x'.repeat(MB)};base64,SGk="]}`),
    refused: /^inputs\.images\[0\] must be an http: or https: address or a data:/,
  },
  {
    name: '700,000 variables',
    path: 'execute',
    body: inputs(keys(700_000)),
    refused: /^The body must have at most 200000 objects, arrays and keys together$/,
  },
  {
    name: '150,000 variables',
    path: 'execute',
    body: inputs(keys(150_000)),
    refused: /^inputs must have at most 1000 keys$/,
  },
  {
    name: 'a value of 9.5 MB for a prompt that repeats it 1,000 times',
    path: 'execute',
    body: inputs(`{"query":"Hi","x":"${'y'.repeat(9.5 * MB)}"}`),
    refused:
      /^systemPrompt must have at most 1000000 characters with its variables filled in, not 99614720\d\d$/,
  },
];
