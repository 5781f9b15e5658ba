// Literal texts for users in the console, whose texts belong into its locales.

const ATTRIBUTES = [
  'title',
  'label',
  'placeholder',
  'alt',
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'aria-valuetext',
  'description',
  'text',
  'extra',
  'tooltip',
  'okText',
  'cancelText',
  'submitLabel',
  'submitText',
];

/** Keys of the keyboard, and examples of code: the same in every language. */
const ALLOWED = [
  'Esc',
  'K',
  '· HTTP',
  // What begins like an address, a command, JSON, YAML, or a path.
  'https://.*',
  'curl .*',
  '\\{ ".*',
  'openapi: .*',
  '/orders/\\{id\\}',
  // Headers, names, and regions.
  'Authorization',
  'Bearer …',
  'X-API-Key',
  'getOrder',
  'open_door',
  'limit',
  'gpt-5-mini',
  'ap-guangzhou',
  '16k_zh',
  'asr\\.tencentcloudapi\\.com',
];

// A slash ends a regular expression of a selector.
const allowed = ALLOWED.join('|').replaceAll('/', '\\/');
const WORDS = `/^(?!\\s*(?:${allowed})\\s*$)[^]*\\p{L}/u`;
const named = `JSXAttribute[name.name=/^(?:${ATTRIBUTES.join('|')})$/]`;
const inChildren = ':matches(JSXElement, JSXFragment) > JSXExpressionContainer';
/** A value, also as one of two, or after a condition. */
const within = (place) =>
  [
    place,
    `${place} > ConditionalExpression`,
    `${place} > ConditionalExpression > ConditionalExpression`,
    `${place} > LogicalExpression`,
  ].flatMap((parent) => [
    `${parent} > Literal[value=${WORDS}]`,
    `${parent} > TemplateLiteral > TemplateElement[value.raw=${WORDS}]`,
  ]);

/** Options of no-restricted-syntax. */
export const literalTexts = [
  `JSXText[value=${WORDS}]`,
  `${named} > Literal[value=${WORDS}]`,
  ...within(inChildren),
  ...within(`${named} > JSXExpressionContainer`),
].map((selector) => ({ selector, message: 'Texts for users belong into the locales.' }));
